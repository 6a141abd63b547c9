import ErrandTaskStore
import ErrandTime
import Testing

@Suite("StoredCookie")
struct StoredCookieTests {
    @Test("A cookie's value is in none of its descriptions")
    func descriptions() {
        let cookie = StoredCookie(
            key: StoredCookie.Key(domain: "example.com", isHostOnly: true, path: "/", name: "sid"), value: "secret",
            isSecure: true, isHTTPOnly: true, expiresAt: nil, creationOrder: 0,
            lastAccessAt: Timestamp(milliseconds: 0))
        var dumped = ""
        dump(StoredCookieChange.set(cookie), to: &dumped)
        for text in ["\(cookie)", String(reflecting: cookie), "\(StoredCookieChange.set(cookie))", dumped] {
            #expect(text.contains("sid"))
            #expect(!text.contains("secret"))
        }
    }
}
