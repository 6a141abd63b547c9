import Testing

@testable import ErrandCurlEngine

@Suite("CurlEngine: the connections with unprocessed input")
struct UnprocessedInputsTests {
    private let first = OpenedSocket(number: 7, identity: 1)
    private let second = OpenedSocket(number: 8, identity: 2)
    private var inputs = UnprocessedInputs()

    /// The sessions differ in their addresses alone.
    private static func session(_ number: Int) -> UnsafeRawPointer? { UnsafeRawPointer(bitPattern: number) }

    private mutating func add(_ socket: OpenedSocket) throws {
        let session = try #require(Self.session(Int(socket.number)))
        inputs.add(socket, of: PoolID(session: 1), session: session)
    }

    private mutating func takeTurn(paused: [Int] = [7, 8]) -> [Int32] {
        inputs.takeTurn { session in paused.contains { Self.session($0) == session } }.map(\.socket.number)
    }

    @Test("a connection is read from in eight turns after its last pause")
    mutating func turns() throws {
        try add(first)
        var taken = (0..<7).map { _ in takeTurn() }
        #expect(taken == [[Int32]](repeating: [7], count: 7))
        try add(first)
        taken = (0..<8).map { _ in takeTurn() }
        #expect(taken == [[Int32]](repeating: [7], count: 8))
        #expect(inputs.isEmpty)
    }

    @Test("connections have their own turns")
    mutating func several() throws {
        try add(first)
        _ = (0..<4).map { _ in takeTurn() }
        try add(second)
        let taken = (0..<8).map { _ in takeTurn() }
        #expect(taken == [[7, 8], [7, 8], [7, 8], [7, 8], [8], [8], [8], [8]])
        #expect(inputs.isEmpty)
    }

    @Test("a connection with which libcurl has gone on is not read from")
    mutating func goneOn() throws {
        try add(first)
        try add(second)
        let taken = [takeTurn(paused: [8]), takeTurn(paused: [8]), takeTurn(paused: [])]
        #expect(taken == [[8], [8], []])
        #expect(inputs.isEmpty)
    }

    @Test("a socket with the number of a closed one is another connection")
    mutating func sameNumber() throws {
        try add(first)
        try add(OpenedSocket(number: 7, identity: 3))
        let taken = takeTurn()
        #expect(taken == [7, 7])
    }
}
