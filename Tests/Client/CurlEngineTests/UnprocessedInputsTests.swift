import Testing

@testable import ErrandCurlEngine

@Suite("CurlEngine: the connections with unprocessed input")
struct UnprocessedInputsTests {
    private let pool = PoolID(session: 1)
    private let first = OpenedSocket(number: 7, identity: 1)
    private let second = OpenedSocket(number: 8, identity: 2)

    private func numbers(_ inputs: [UnprocessedInputs.Input]) -> [Int32] { inputs.map(\.socket.number) }

    @Test("a connection is read from in eight turns after its last pause")
    func turns() {
        var inputs = UnprocessedInputs()
        inputs.add(first, of: pool)
        for _ in 0..<7 { #expect(numbers(inputs.takeTurn()) == [7]) }
        inputs.add(first, of: pool)
        for _ in 0..<8 { #expect(numbers(inputs.takeTurn()) == [7]) }
        #expect(numbers(inputs.takeTurn()).isEmpty)
        #expect(inputs.isEmpty)
    }

    @Test("connections have their own turns")
    func several() {
        var inputs = UnprocessedInputs()
        inputs.add(first, of: pool)
        for _ in 0..<4 { _ = inputs.takeTurn() }
        inputs.add(second, of: pool)
        for _ in 0..<4 { #expect(numbers(inputs.takeTurn()) == [7, 8]) }
        for _ in 0..<4 { #expect(numbers(inputs.takeTurn()) == [8]) }
        #expect(numbers(inputs.takeTurn()).isEmpty)
    }
}
