import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/stream")
struct StreamEndpointTests {
    @Test("sends one JSON line per part, without announcing the length")
    func lines() async throws {
        let response = try await EchoClient().ask("/stream/3")
        #expect(response.length == nil)
        #expect(response.headers[.contentType] == "application/x-ndjson")
        #expect(
            response.parts.map { String(decoding: $0, as: UTF8.self) }
                == (0..<3).map { "{\"line\":\($0),\"lines\":3}\n" })
    }

    @Test("sends nothing for zero lines")
    func none() async throws {
        #expect(try await EchoClient().ask("/stream/0").parts.isEmpty)
    }
}
