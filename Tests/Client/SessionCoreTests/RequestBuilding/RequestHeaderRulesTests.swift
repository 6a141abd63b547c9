import ErrandSessionCore
import HTTPTypes
import Testing

@Suite("The rules for header fields")
struct RequestHeaderRulesTests {
    @Test(
        "reject fields about framing or connections, in any case",
        arguments: [
            "Host", "host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE", "te",
            "Trailer", "Expect", "Proxy-Authorization", "Proxy-Connection", "PROXY-ANYTHING",
        ])
    func refused(text: String) throws {
        let name = try #require(HTTPField.Name(text))
        #expect(RequestHeaderRules.reasonToRefuse(name) != nil)
    }

    @Test("give each its own reason")
    func reasons() {
        let names = [
            "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "TE", "Trailer",
            "Expect",
        ]
        let reasons = names.compactMap { HTTPField.Name($0) }.compactMap { RequestHeaderRules.reasonToRefuse($0) }
        #expect(Set(reasons).count == names.count)
    }

    @Test(
        "leave everything else",
        arguments: ["Accept", "Authorization", "Cookie", "Content-Type", "Hostess", "Proxy", "X-Proxy-Id", "Date"])
    func allowed(text: String) throws {
        let name = try #require(HTTPField.Name(text))
        #expect(RequestHeaderRules.reasonToRefuse(name) == nil)
    }

    @Test(
        "reject values with line breaks, NUL and other control characters",
        arguments: ["a\r\nX: y", "a\nb", "a\rb", "\n", "a\0b", "a\u{1}b", "a\u{7F}", "\r\n"])
    func refusedValue(value: String) {
        #expect(RequestHeaderRules.reasonToRefuse(value: value) != nil)
    }

    @Test("accept other values", arguments: ["", "a b", "a\tb", "é", "🙂", "\"quoted\"", "a;b=c, d"])
    func allowedValue(value: String) {
        #expect(RequestHeaderRules.reasonToRefuse(value: value) == nil)
    }
}
