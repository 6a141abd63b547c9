import Testing

@testable import ErrandSessionCore

@Suite("The product of a program")
struct ProductTokenTests {
    @Test(
        "is the name of its executable, with - for characters that are not allowed in a token (RFC 9110 §5.6.2)",
        arguments: [
            ("importer", "importer"), ("/usr/local/bin/importer", "importer"), ("./a_b.c~1", "a_b.c~1"),
            ("/opt/My App", "My-App"), ("/opt/a(b);c,d\"e", "a-b--c-d-e"), ("süß", "s--"), ("a\r\nX: b", "a-X--b"),
            ("/opt/importer/", "importer"), ("", "HTTPSession"), ("//", "HTTPSession"), ("/opt/\u{301}a", "-a"),
        ])
    func name(path: String, expected: String) {
        #expect(ProductToken.make(from: path) == expected)
    }

    @Test("has at most 64 characters")
    func length() {
        #expect(ProductToken.make(from: String(repeating: "a", count: 1000)) == String(repeating: "a", count: 64))
    }

    @Test("is the default of User-Agent")
    func ofProgram() {
        #expect(SessionConfiguration(name: "example").userAgent == ProductToken.make(from: CommandLine.arguments[0]))
    }
}
