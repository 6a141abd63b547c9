import ErrandCompression
import ErrandRequestSerialization
import ErrandTransfer
import Testing

@Suite("The compression of requests")
struct RequestCompressionTests {
    static let content = [UInt8](repeating: 0x61, count: 1024)

    @Test(
        "compresses content and names the coding",
        arguments: [(RequestCompression.Coding.gzip, ContentCoding.gzip), (.deflate, .deflate)])
    func codes(coding: RequestCompression.Coding, contentCoding: ContentCoding) throws {
        let result = try #require(
            try RequestCompression(coding: coding).compress(.bytes(Self.content), isCoded: false))
        #expect(result.contentEncoding == coding.rawValue)
        guard case .bytes(let bytes) = result.body else {
            Issue.record("The coded content is not in memory")
            return
        }
        #expect(bytes == (try contentCoding.encode(Self.content)))
        #expect(bytes.count < 100)
    }

    @Test("is off by default, and starts at 1 KiB if it is on")
    func defaults() {
        #expect(RequestCompression() == RequestCompression(coding: .none, minBytes: 1024))
        #expect(RequestCompression.Coding.allCases.map(\.rawValue) == ["none", "gzip", "deflate"])
    }

    @Test(
        "leaves content unchanged",
        arguments: [
            ("when it is off", .init(coding: .none, minBytes: 0), .bytes(content), false),
            ("when it has a coding", .init(coding: .gzip), .bytes(content), true),
            ("when it is too short", .init(coding: .gzip), .bytes(Array(content.dropLast())), false),
            ("when there is none", .init(coding: .gzip, minBytes: 0), .none, false),
            ("when it is empty", .init(coding: .gzip, minBytes: 0), .bytes([]), false),
            ("when it comes from a source", .init(coding: .gzip, minBytes: 0), .source(UnreadableSource()), false),
        ] as [(String, RequestCompression, TransferBody, Bool)])
    func leaves(rule: String, compression: RequestCompression, body: TransferBody, isCoded: Bool) throws {
        #expect(try compression.compress(body, isCoded: isCoded) == nil, "\(rule)")
    }

    @Test("compresses the shortest content if there is no minimum")
    func shortest() throws {
        let result = try RequestCompression(coding: .deflate, minBytes: 0).compress(.bytes([0x61]), isCoded: false)
        #expect(result?.contentEncoding == "deflate")
    }
}

/// A source that must not be read.
private final class UnreadableSource: BodySource {
    var length: Int64? { nil }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        Issue.record("A source was read in order to be compressed")
        return .end
    }

    func rewind() -> Bool { true }
}
