import HTTPTypes
import Testing

@testable import ErrandEcho

@Suite("/anything and /headers")
struct AnythingEndpointTests {
    @Test("return method, URL, query and header fields in the order and spelling received")
    func order() async throws {
        var headers = HTTPFields()
        for (name, value) in [("Host", "127.0.0.1:8081"), ("X-B", "1"), ("x-a", "2"), ("X-b", "3")] {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let response = try await EchoClient().ask(.delete, "/anything/else?b=1&a=%C3%A9&b=2", headers: headers)
        #expect(
            response.text == """
                {"method":"DELETE","url":"http://127.0.0.1:8081/anything/else?b=1&a=%C3%A9&b=2",\
                "args":[["b","1"],["a","é"],["b","2"]],\
                "headers":[["Host","127.0.0.1:8081"],["X-B","1"],["x-a","2"],["X-b","3"]],"body":null,"json":null}
                """)
    }

    @Test("return JSON content byte for byte, including numbers and duplicate keys")
    func exactJSON() async throws {
        let json = #"{"id":12345678901234567890,"price":1.10,"a":null,"a":2}"#
        let response = try await EchoClient().ask(.post, "/anything", content: Array(" \(json)\n".utf8))
        #expect(response.text.hasSuffix(#""json":\#(json)}"#))
    }

    @Test("return text as text, other bytes as Base64, and null as JSON")
    func bodies() async throws {
        let client = try EchoClient()
        let text = try await client.ask(.put, "/anything", content: Array("grüß \"dich\"".utf8))
        #expect(text.text.hasSuffix(#""body":{"size":13,"text":"grüß \"dich\""},"json":null}"#))
        let bytes = try await client.ask(.put, "/anything", content: [0xFF, 0x00, 0xC3, 0x28])
        #expect(bytes.text.hasSuffix(#""body":{"size":4,"base64":"/wDDKA=="},"json":null}"#))
    }

    @Test("refuse content above the limit")
    func tooLarge() async throws {
        let content = [UInt8](repeating: 0x61, count: Endpoint.maxAnythingBytes + 1)
        let response = try await EchoClient().ask(.post, "/anything", content: content)
        #expect(response.status == 413)
        #expect(response.text.contains("longer than 16777216 bytes"))
    }

    @Test("/headers returns only the header fields")
    func headersOnly() async throws {
        let response = try await EchoClient().ask(.get, "/headers", headers: [.accept: "text/html"])
        #expect(response.text == #"{"headers":[["Accept","text/html"]]}"#)
    }
}
