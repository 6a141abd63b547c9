import ErrandHTTPServer
import Testing

@Suite("EntityTag")
struct EntityTagTests {
    @Test(
        "tags round-trip",
        arguments: [
            ("\"r7\"", EntityTag(opaque: "r7")),
            ("W/\"r7\"", EntityTag(opaque: "r7", isWeak: true)),
            ("\"\"", EntityTag(opaque: "")),
            ("\"a,b\"", EntityTag(opaque: "a,b")),
        ])
    func reads(text: String, expected: EntityTag) throws {
        let tag = try #require(EntityTag(text))
        #expect(tag == expected)
        #expect(tag.description == text)
    }

    @Test(
        "a malformed tag is rejected",
        arguments: [
            "", "r7", "\"", "\"r7", "r7\"", "w/\"r7\"", "W/r7", "\"a b\"", "\"a\"b", "\"a\"\"", "*", "\"\u{7F}\"",
        ])
    func refuses(text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test("the comparisons are those of RFC 9110, section 8.8.3.2")
    func comparisons() {
        let strong = EntityTag(opaque: "1")
        let weak = EntityTag(opaque: "1", isWeak: true)
        let other = EntityTag(opaque: "2", isWeak: true)
        #expect(!weak.matchesStrongly(weak) && weak.matchesWeakly(weak))
        #expect(!weak.matchesStrongly(other) && !weak.matchesWeakly(other))
        #expect(!weak.matchesStrongly(strong) && weak.matchesWeakly(strong))
        #expect(strong.matchesStrongly(strong) && strong.matchesWeakly(strong))
    }
}
