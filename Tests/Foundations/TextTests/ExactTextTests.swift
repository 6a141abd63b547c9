import ErrandText
import Testing

@Suite("Texts that are compared byte by byte")
struct ExactTextTests {
    @Test("Texts that are only canonically equivalent differ", arguments: [("\u{E9}", "e\u{301}"), ("\u{212A}", "K")])
    func different(one: String, other: String) {
        #expect(one == other, "they are canonically equivalent")
        #expect(ExactText(one) != ExactText(other))
        #expect(Set([ExactText(one), ExactText(other)]).count == 2)
    }

    @Test("Equal texts have the same hash", arguments: ["", "a", "12345678", "123456789", "é😀"])
    func equal(text: String) {
        let copy = ExactText(String(decoding: Array(text.utf8), as: UTF8.self))
        #expect(ExactText(text) == copy)
        #expect(ExactText(text).hashValue == copy.hashValue)
        #expect(ExactText(text) != ExactText(text + "\0"))
    }
}
