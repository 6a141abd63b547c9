import ErrandHTTPGrammar
import Testing

@Suite("A content disposition")
struct ContentDispositionTests {
    @Test(
        "has the file name of its parameter",
        arguments: [
            ("attachment; filename=\"report.pdf\"", "report.pdf"),
            ("attachment; filename=report.pdf", "report.pdf"),
            ("inline;FILENAME=a.txt", "a.txt"),
            ("attachment ; filename = \"a\"; x=y", nil),
            ("attachment; x=y ; filename=\"a;b.txt\"", "a;b.txt"),
            ("attachment; filename=\"a \\\"b\\\".txt\"", "a \"b\".txt"),
            ("attachment; filename=\"\"", ""),
            ("attachment; filename=\"../../etc/passwd\"", "../../etc/passwd"),
            // Not decoded: RFC 6266 has no escapes in this parameter.
            ("attachment; filename=\"a%20b.txt\"", "a%20b.txt"),
            // The first of several.
            ("attachment; filename=a; filename=b", "a"),
            ("attachment", nil),
            ("attachment;", nil),
            ("attachment; filename=\"open", nil),
            ("attachment; name=a", nil),
        ] as [(String, String?)])
    func filename(value: String, expected: String?) throws {
        #expect(try #require(ContentDisposition(value)).filename == expected)
    }

    @Test(
        "prefers the extended file name, if it can be decoded",
        arguments: [
            ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=UTF-8'en'%E2%82%AC; filename=x", "€"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=UTF-8''it's", "it's"),
            ("attachment; filename*=UTF-8''", ""),
            ("attachment; filename*=UTF-8''a%2Fb", "a/b"),
            // Invalid UTF-8, an incomplete escape, an unknown character set, too few parts.
            ("attachment; filename*=UTF-8''%ff; filename=x", "x"),
            ("attachment; filename*=UTF-8''%e; filename=x", "x"),
            ("attachment; filename*=koi8-r''a; filename=x", "x"),
            ("attachment; filename*=a; filename=x", "x"),
            ("attachment; filename*=UTF-8''%ff", nil),
        ] as [(String, String?)])
    func extended(value: String, expected: String?) throws {
        #expect(try #require(ContentDisposition(value)).filename == expected)
    }

    @Test("has a type in lower case")
    func type() {
        #expect(ContentDisposition(" Attachment ;filename=a")?.type == "attachment")
    }

    @Test("begins with a token", arguments: ["", ";", "; filename=a", "filename=\"a\"", "a b; filename=c"])
    func refused(value: String) {
        #expect(ContentDisposition(value) == nil)
    }
}
