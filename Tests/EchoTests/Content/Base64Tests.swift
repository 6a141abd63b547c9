import Testing

@testable import Echo

@Suite("Base64")
struct Base64Tests {
    @Test(
        "encodes the vectors of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
    }

    @Test("uses the whole alphabet")
    func alphabet() {
        #expect(Base64.encode([0xFB, 0xFF, 0xBF, 0x00]) == "+/+/AA==")
    }
}
