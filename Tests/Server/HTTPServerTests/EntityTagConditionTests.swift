import ErrandHTTPServer
import Testing

@Suite("EntityTagCondition")
struct EntityTagConditionTests {
    @Test(
        "a list of tags or an asterisk is a condition",
        arguments: [
            ("*", EntityTagCondition.any),
            (" * ", .any),
            ("\"a\"", .tags([EntityTag(opaque: "a")])),
            (
                "\"a\", W/\"b\" ,\"c,d\"",
                .tags([
                    EntityTag(opaque: "a"), EntityTag(opaque: "b", isWeak: true), EntityTag(opaque: "c,d"),
                ])
            ),
            (",, \"a\",,", .tags([EntityTag(opaque: "a")])),
        ])
    func reads(value: String, expected: EntityTagCondition) {
        #expect(EntityTagCondition(value) == expected)
    }

    @Test("a malformed value is rejected", arguments: ["", ",", "a", "\"a\" \"b\"", "*, \"a\"", "\"a\", b"])
    func refuses(value: String) {
        #expect(EntityTagCondition(value) == nil)
    }

    @Test("If-None-Match compares weakly, If-Match strongly, and no tag matches a missing resource")
    func matches() {
        let weak = EntityTagCondition.tags([EntityTag(opaque: "a", isWeak: true)])
        #expect(weak.matchesWeakly(EntityTag(opaque: "a")))
        #expect(!weak.matchesStrongly(EntityTag(opaque: "a")))
        #expect(!weak.matchesWeakly(EntityTag(opaque: "b")))
        #expect(EntityTagCondition.any.matchesWeakly(EntityTag(opaque: "b")))
        #expect(EntityTagCondition.any.matchesStrongly(EntityTag(opaque: "b")))
        #expect(!EntityTagCondition.any.matchesWeakly(nil))
        #expect(!EntityTagCondition.any.matchesStrongly(nil))
    }
}
