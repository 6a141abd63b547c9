import ErrandHTTPServer
import HTTPTypes
import Testing

@testable import MicroHTTPServer

@Suite("RawResponse")
struct RawResponseTests {
    private func text(_ response: ServerResponse, withContent: Bool = true) -> String? {
        RawResponse.bytes(of: response, withContent: withContent, at: 784_111_777)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

    @Test("a response in memory becomes a message that ends its connection")
    func message() {
        let headers: HTTPFields = [
            .contentType: "text/plain", .contentLength: "1", .date: "now", .allow: "", .eTag: "\"1\"",
        ]
        let response = ServerResponse(status: .contentTooLarge, headers: headers, body: .bytes(Array("no".utf8)))
        let head =
            "HTTP/1.1 413 Content Too Large\r\n\(Self.date)Content-Type: text/plain\r\nETag: \"1\"\r\n"
            + "Content-Length: 2\r\nConnection: close\r\n\r\n"
        #expect(text(response) == head + "no")
        #expect(text(response, withContent: false) == head)
        #expect(
            text(ServerResponse(status: .requestTimeout))
                == "HTTP/1.1 408 Request Timeout\r\n\(Self.date)Content-Length: 0\r\nConnection: close\r\n\r\n")
    }

    @Test("a 204 has neither content nor its length, and a 304 at most the length")
    func withoutContent() {
        let unchanged = "HTTP/1.1 304 Not Modified\r\n\(Self.date)"
        for (response, message) in [
            (ServerResponse(status: .noContent), "HTTP/1.1 204 No Content\r\n\(Self.date)"),
            (ServerResponse(status: .notModified), unchanged),
            (ServerResponse(status: .notModified, body: .bytes([1, 2])), unchanged + "Content-Length: 2\r\n"),
        ] {
            #expect(text(response) == message + "Connection: close\r\n\r\n")
        }
    }

    @Test("other responses cannot be sent in this way")
    func elsewhere() {
        let file = FileRegion(path: "a-file", offset: 0, length: 1)
        #expect(text(ServerResponse(status: .ok, body: .file(file))) == nil)
        #expect(text(ServerResponse(status: .ok, body: .stream(ResponseStream { nil }))) == nil)
    }
}
