import ErrandText
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The examples of RFC 4648 §10 are encoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func published(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
    }

    @Test(
        "Encoded bytes are decoded, with any whitespace",
        arguments: ["", "Zg==", "Z m\n8=", "\tZm9v\r\n", "Zm9vYg==", "+/+/"])
    func decoded(text: String) {
        let bytes = Base64.decode(text)
        #expect(bytes.map(Base64.encode) == text.filter { !$0.isWhitespace })
    }

    @Test(
        "Invalid Base64 is rejected",
        arguments: ["Z", "Zg", "Zg=", "Zg===", "Z=g=", "Zm9v=", "Zm-v", "====", "Zm9v\u{0}"])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("The whole alphabet is used")
    func alphabet() {
        #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
        #expect(Base64.encode([0x00, 0x10, 0x83]) == "ABCD")
        #expect(Base64.encode([0xF7, 0xDF, 0x7F]) == "999/")
    }
}
