import Testing

@testable import ErrandDownloads

@Suite("The name of a file")
struct FileNameTests {
    @Test(
        "is any printable text",
        arguments: [
            "a", "report.pdf", ".profile", " a", "a b", "résumé", "a\u{200D}b", "console.log", "com10", "nul-1",
            "C:", "part", ".part.txt", "..a", "...a", String(repeating: "a", count: 255),
        ])
    func accepted(text: String) throws {
        #expect(try FileName(text).text == text)
    }

    @Test(
        "is refused for its first problem",
        arguments: [
            ("", .empty), (".", .dots), ("..", .dots), ("a/b", .separator), ("/", .separator), ("../a", .separator),
            ("a\\b", .separator), ("a/\u{301}b", .separator), ("a\0b", .control), ("a\nb", .control),
            ("a\u{7F}", .control), ("a\u{85}", .control), ("a\u{2028}b", .control), ("gpj\u{202E}exe", .control),
            ("\u{FEFF}a", .control), (String(repeating: "a", count: 256), .tooLong),
            (String(repeating: "é", count: 128), .tooLong), ("a.", .ending), ("...", .ending), ("a ", .ending),
            (" ", .ending), ("CON", .reserved), ("con", .reserved), ("Aux.txt", .reserved), ("nul .tar.gz", .reserved),
            ("com1", .reserved), ("LPT9.x", .reserved), ("COM¹", .reserved), (".part", .reserved),
            (".0123456789abcdef0123456789abcdef.part", .reserved),
        ] as [(String, FileNameProblem)])
    func refused(text: String, problem: FileNameProblem) {
        #expect(throws: problem) { try FileName(text) }
    }

    @Test(
        "is made from the last component of a suggestion",
        arguments: [
            ("report.pdf", "report.pdf"), ("/etc/passwd", "passwd"), ("../../etc/passwd", "passwd"),
            ("C:\\Users\\a\\b.txt", "b.txt"), ("..\\..\\b.txt", "b.txt"), ("a/b\\c", "c"),
            ("..a", "a"), (".bashrc", "bashrc"), ("a. . ", "a"), (" \t a b \n", "a b"),
            ("a\0b\r\n.txt", "ab.txt"), ("gpj\u{202E}exe", "gpjexe"), ("a/\u{301}b", "\u{301}b"),
            ("con.txt", "_con.txt"), ("NUL", "_NUL"), (".x.part", "x.part"), ("résumé.pdf", "résumé.pdf"),
        ])
    func suggested(text: String, expected: String) {
        #expect(FileName(suggestedBy: text)?.text == expected)
    }

    @Test(
        "is not made from a suggestion of which nothing is left",
        arguments: ["", ".", "..", "...", "/", "a/", "a\\", " ", "a/..", "\0", "\u{202E}", "\u{2003}"])
    func nothing(text: String) {
        #expect(FileName(suggestedBy: text) == nil)
    }

    @Test("is shortened between characters, before its extension")
    func shortened() {
        let long = String(repeating: "a", count: 4096)
        #expect(FileName(suggestedBy: long)?.text == String(repeating: "a", count: 255))
        #expect(FileName(suggestedBy: long + ".pdf")?.text == String(repeating: "a", count: 251) + ".pdf")
        #expect(FileName(suggestedBy: long + ".pdf", maxBytes: 6)?.text == "aa.pdf")
        #expect(FileName(suggestedBy: long + ".pdf", maxBytes: 4)?.text == "aaaa")
        #expect(FileName(suggestedBy: "ééé.txt", maxBytes: 9)?.text == "éé.txt")
        // The extension alone would be a hidden file.
        #expect(FileName(suggestedBy: "é.txt", maxBytes: 5)?.text == "é.tx")
        // An extension of more than 16 bytes is none.
        #expect(FileName(suggestedBy: "a." + long, maxBytes: 4)?.text == "a.aa")
        #expect(FileName(suggestedBy: "ab. cd", maxBytes: 4)?.text == "ab")
        #expect(FileName(suggestedBy: "contract", maxBytes: 3) == nil)
        #expect(FileName(suggestedBy: "a", maxBytes: 0) == nil)
        #expect(FileName(suggestedBy: "a", maxBytes: -1) == nil)
        #expect(FileName(suggestedBy: long, maxBytes: .max)?.text.utf8.count == 255)
    }

    @Test("names each problem differently")
    func problems() {
        #expect(Set(FileNameProblem.allCases.map { $0.description }).count == FileNameProblem.allCases.count)
    }
}
