import ErrandText
import Testing

@Suite("Base64URL")
struct Base64URLTests {
    @Test(
        "The examples of RFC 4648, section 10, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(plain: String, text: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test("Every byte is restored, and the text is safe in a URL")
    func everyByte() {
        let bytes = (0...255).map(UInt8.init)
        let text = Base64URL.encode(bytes)
        #expect(Base64URL.decode(text) == bytes)
        #expect(text.contains("-") && text.contains("_"))
        #expect(!text.contains("+") && !text.contains("/"))
    }

    @Test(
        "Other characters, impossible lengths and stray bits are refused",
        arguments: ["Z", "Zg==", "Zh", "Zm9=", "Zm 9", "Zm9v+", "Zm9v/", "Zm9vé"])
    func refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
