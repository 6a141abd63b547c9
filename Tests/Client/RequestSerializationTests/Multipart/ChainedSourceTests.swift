import ErrandRequestSerialization
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("A chained source", .timeLimit(.hang))
struct ChainedSourceTests {
    private let log = EventLog<String>()

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func source(_ name: String, _ pieces: String..., length: Int64?? = .none) -> PieceSource {
        PieceSource(pieces.map { Array($0.utf8) }, length: length, name: name, log: log)
    }

    @Test("returns its segments in order, however small the buffer is", arguments: [1, 2, 3, 7, 100])
    func order(chunk: Int) async throws {
        let chain = ChainedSource([
            .bytes(bytes("<")), .source(source("a", "one", "two")), .bytes([]), .bytes(bytes("-")),
            .source(source("b", "three")), .bytes(bytes(">")),
        ])
        #expect(chain.length == 14)
        #expect(try await SourceReader.content(of: chain, chunk: chunk) == bytes("<onetwo-three>"))
    }

    @Test("of no segments is empty", arguments: [[], [ChainedSource.Segment.bytes([])]])
    func empty(segments: [ChainedSource.Segment]) async throws {
        let chain = ChainedSource(segments)
        #expect(chain.length == 0)
        #expect(try await SourceReader.content(of: chain).isEmpty)
    }

    @Test("has no length if one of its sources has none, and reads that one to its end")
    func unknownLength() async throws {
        let chain = ChainedSource([.source(source("a", "one", length: .some(nil))), .bytes(bytes("."))])
        #expect(chain.length == nil)
        #expect(try await SourceReader.content(of: chain) == bytes("one."))
    }

    @Test("has no length if the sum overflows")
    func overflow() {
        let large = ChainedSource.Segment.source(source("a", length: .max))
        #expect(ChainedSource([large, .bytes([1])]).length == nil)
    }

    @Test("starts a source when its turn comes, and ends it when it was read completely")
    func turns() async throws {
        let chain = ChainedSource([.source(source("a", "one")), .source(source("b", "two"))])
        let reader = SourceReader(chain)
        #expect(log.events.isEmpty)
        reader.begin()
        #expect(try await reader.readAll(chunk: 100, limit: 2) == bytes("on"))
        #expect(log.events == ["begin a"])
        #expect(try await reader.readAll(chunk: 1, limit: 2) == bytes("et"))
        #expect(log.events == ["begin a", "end a", "begin b"])
        chain.end()
        #expect(log.events == ["begin a", "end a", "begin b", "end b"])
        chain.end()
        #expect(log.events.count == 4)
    }

    @Test("forwards a pause and the resume that ends it")
    func pauses() async {
        let reader = SourceReader(ChainedSource([.bytes(bytes("x")), .source(source("a", "one"))]))
        reader.begin()
        guard case (.bytes, bytes("x")) = reader.read(100) else {
            Issue.record("What was there before the pause is given at once")
            return
        }
        await reader.resumed()
        guard case (.bytes, bytes("one")) = reader.read(100) else {
            Issue.record("The source goes on after its pause")
            return
        }
    }

    @Test("is spent if one of its sources is, also below a throttle")
    func spent() async throws {
        let parts = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1, 2, 3])
            continuation.finish()
        }
        let chain = ChainedSource([.bytes(bytes("x")), .source(StreamSource(parts, length: 3))])
        let throttled = ThrottledSource(chain, BandwidthThrottle(packetBytes: 100, delay: .zero))
        #expect(!chain.isSpent && !throttled.isSpent)
        #expect(try await SourceReader.content(of: throttled) == bytes("x") + [1, 2, 3])
        #expect(chain.isSpent && throttled.isSpent)
    }

    @Test("is repeatable if all of its sources are, but not below a throttle")
    func repeatable() {
        let chain = ChainedSource([.bytes(bytes("x")), .source(MemorySource([1]))])
        #expect(chain.isRepeatable)
        #expect(!ThrottledSource(chain, BandwidthThrottle()).isRepeatable)
        #expect(!ChainedSource([.source(chain), .source(source("a", "one"))]).isRepeatable)
    }

    @Test("reads no more from a source than its length")
    func longSource() async throws {
        let chain = ChainedSource([.source(source("a", "one", length: 2)), .bytes(bytes("!"))])
        #expect(try await SourceReader.content(of: chain) == bytes("on!"))
    }

    @Test("fails if a source is shorter than its length, and stays failed")
    func shortSource() async {
        let chain = ChainedSource([.source(source("a", "one", length: 4)), .bytes(bytes("!"))])
        let expected = TransferError(.transportError, "A part of the content is shorter than its declared length")
        await #expect(throws: expected) { try await SourceReader.content(of: chain) }
        await #expect(throws: expected) { try await SourceReader.content(of: chain) }
    }

    @Test("fails with the error of a source, after returning the bytes before it")
    func failingSource() async throws {
        let broken = PieceSource([bytes("one")], length: 9, ending: .failed(TransferError(.cannotWrite, "Broken")))
        let chain = ChainedSource([.source(broken), .bytes(bytes("!"))])
        let reader = SourceReader(chain)
        reader.begin()
        #expect(try await reader.readAll(chunk: 100, limit: 3) == bytes("one"))
        await #expect(throws: TransferError(.cannotWrite, "Broken")) { try await reader.readAll(chunk: 100) }
    }

    @Test("fails if a source reports bytes and returns none")
    func nothingGiven() async {
        let chain = ChainedSource([.source(source("a", "", "one"))])
        await #expect(throws: TransferError(.transportError, "The source of a part of the content returned no bytes")) {
            try await SourceReader.content(of: chain)
        }
    }

    @Test("cannot be read before it was started")
    func notBegun() {
        let reader = SourceReader(ChainedSource([.source(source("a", "one"))]))
        guard case (.failed, []) = reader.read(100) else {
            Issue.record("It was read")
            return
        }
        #expect(log.events.isEmpty)
    }

    @Test("continues at its position when it is restarted without a rewind")
    func goesOn() async throws {
        let chain = ChainedSource([.source(source("a", "one", "two")), .bytes(bytes("!"))])
        let reader = SourceReader(chain)
        reader.begin()
        #expect(try await reader.readAll(chunk: 2, limit: 4) == bytes("onet"))
        chain.end()
        #expect(try await SourceReader.content(of: chain) == bytes("wo!"))
    }

    @Test("rewinds only the sources that were read from")
    func rewindsTouched() async throws {
        let chain = ChainedSource([
            .source(source("a", "one")), .source(source("b", "two")),
            .source(PieceSource([bytes("three")], canRewind: false, name: "c", log: log)),
        ])
        let reader = SourceReader(chain)
        reader.begin()
        _ = try await reader.readAll(chunk: 100, limit: 4)
        #expect(chain.rewind())
        #expect(log.events == ["begin a", "end a", "begin b", "end b", "rewind a", "rewind b"])
        #expect(try await reader.readAll(chunk: 100) == bytes("onetwothree"))
    }

    @Test("abandons all of its sources, also below a throttle")
    func abandonsAll() {
        let chain = ChainedSource([.bytes([1]), .source(source("a", "one")), .source(source("b", "two"))])
        ThrottledSource(chain, BandwidthThrottle(packetBytes: 100, delay: .zero)).abandon()
        #expect(log.events == ["abandon a", "abandon b"])
    }

    @Test("cannot be rewound if a source that was read from cannot, and then returns nothing")
    func cannotRewind() async throws {
        let chain = ChainedSource([
            .bytes(bytes("<")), .source(PieceSource([bytes("one")], canRewind: false)), .bytes(bytes(">")),
        ])
        let reader = SourceReader(chain)
        reader.begin()
        _ = try await reader.readAll(chunk: 100, limit: 1)
        #expect(chain.rewind(), "Nothing was read from the source yet")
        _ = try await reader.readAll(chunk: 100, limit: 2)
        #expect(!chain.rewind())
        await #expect(throws: TransferError(.bodyStreamExhausted, "The request content cannot be sent a second time")) {
            try await reader.readAll(chunk: 100)
        }
    }

    @Test("returns the same bytes after a rewind at any position, in any portions", arguments: TestBuild.seeds(60))
    func rewindAnywhere(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var expected: [UInt8] = []
        let segments = (0..<Int.random(in: 1...6, using: &random)).map { number -> ChainedSource.Segment in
            let pieces = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            expected += pieces.joined()
            guard Bool.random(using: &random) else { return .bytes(Array(pieces.joined())) }
            let length: Int64?? = Bool.random(using: &random) ? .none : .some(nil)
            return .source(PieceSource(pieces, length: length, name: "\(number)", log: log))
        }
        let chain = ChainedSource(segments)
        let reader = SourceReader(chain)
        reader.begin()
        for _ in 0..<4 {
            let limit = Int.random(in: 0...(expected.count + 1), using: &random)
            let chunk = Int.random(in: 1...50, using: &random)
            #expect(try await reader.readAll(chunk: chunk, limit: limit) == Array(expected.prefix(limit)))
            let isNewTransfer = Bool.random(using: &random)
            if isNewTransfer { chain.end() }
            #expect(chain.rewind())
            if isNewTransfer { reader.begin() }
        }
        #expect(try await reader.readAll(chunk: 13) == expected)
        chain.end()
        let begins = log.events.count { $0.hasPrefix("begin") }
        #expect(log.events.count { $0.hasPrefix("end") } == begins)
    }
}
