import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/bytes")
struct BytesEndpointTests {
    @Test("sends exactly as many bytes as it announces", arguments: [0, 1, 65_521, 65_536, 65_537, 1_000_000])
    func exact(count: Int64) async throws {
        let response = try await EchoClient().ask("/bytes/\(count)")
        #expect(response.status == 200)
        #expect(response.length == count)
        #expect(response.content == PatternContent.bytes(0..<count))
        #expect(response.headers[.contentType] == "application/octet-stream")
    }

    @Test("generates a terabyte one part at a time")
    func terabyte() async throws {
        let target = "/bytes/\(Endpoint.maxContentBytes)"
        guard case .immediate(let response) = try EchoClient().disposition(.get, target),
            case .stream(let stream) = response.body
        else {
            Issue.record("the content is not a stream")
            return
        }
        #expect(stream.length == 1_099_511_627_776)
        for _ in 0..<3 {
            #expect(try await stream.next()?.count == Int(PatternContent.partBytes))
        }
    }

    @Test("announces the same length for HEAD as for GET")
    func head() async throws {
        let response = try await EchoClient().ask(.head, "/bytes/12345")
        #expect(response.status == 200)
        #expect(response.length == 12345)
    }
}
