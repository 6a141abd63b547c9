import ErrandTransfer
import Testing

@testable import ErrandAuthentication

@Suite("QueryItem")
struct QueryItemTests {
    @Test(
        "The item is escaped, the last of its query, and the only one of its name",
        arguments: [
            ("http://e.com/?api+key=x", "http://e.com/?api%20key=a%26b%3Dc%2B%C3%A9"),
            ("http://e.com/p", "http://e.com/p?api%20key=a%26b%3Dc%2B%C3%A9"),
            ("http://e.com/p?", "http://e.com/p?api%20key=a%26b%3Dc%2B%C3%A9"),
            ("http://e.com/p?a=1&b", "http://e.com/p?a=1&b&api%20key=a%26b%3Dc%2B%C3%A9"),
            (
                "http://e.com/p?api%20key&a=1&api+key=2&%61pi%20key=3&API%20key=4",
                "http://e.com/p?a=1&API%20key=4&api%20key=a%26b%3Dc%2B%C3%A9"
            ),
        ])
    func replaced(url: String, expected: String) throws {
        let item = QueryItem(name: "api key", value: "a&b=c+é")
        let once = try item.replaced(in: HTTPURL(url))
        #expect(once.string == expected)
        #expect(try item.replaced(in: once) == once)
    }

    @Test("A URL that becomes too long is an error")
    func tooLong() throws {
        let url = try HTTPURL("http://e.com/")
        let value = String(repeating: "a", count: HTTPURL.maxBytes)
        #expect(throws: AuthenticationError.self) { try QueryItem(name: "k", value: value).replaced(in: url) }
    }
}
