import ErrandJSON
import Testing

@Suite("Positions in a text")
struct JSONPositionTests {
    static let rows: [(text: String, offset: Int, place: String)] = [
        ("", 0, "line 1, column 1"),
        ("abc", 0, "line 1, column 1"),
        ("abc", 2, "line 1, column 3"),
        ("abc", 3, "line 1, column 4"),
        ("abc", 99, "line 1, column 4"),
        ("abc", -1, "line 1, column 1"),
        // LF.
        ("a\nb", 1, "line 1, column 2"),
        ("a\nb", 2, "line 2, column 1"),
        ("\n\nb", 2, "line 3, column 1"),
        // CR.
        ("a\rb", 2, "line 2, column 1"),
        ("a\r\rb", 3, "line 3, column 1"),
        ("a\r", 2, "line 2, column 1"),
        // CR LF is one line end, and both belong to the line.
        ("a\r\nb", 1, "line 1, column 2"),
        ("a\r\nb", 2, "line 1, column 3"),
        ("a\r\nb", 3, "line 2, column 1"),
        ("\r\n\r\nb", 4, "line 3, column 1"),
        ("a\n\rb", 3, "line 3, column 1"),
        // Characters of several bytes are one column, and combining marks are separate columns.
        ("éb", 2, "line 1, column 2"),
        ("€b", 3, "line 1, column 2"),
        ("😀b", 4, "line 1, column 2"),
        ("e\u{301}b", 3, "line 1, column 3"),
        ("é\nüb", 5, "line 2, column 2"),
        // A byte order mark is not a column.
        ("\u{FEFF}a", 3, "line 1, column 1"),
        ("\u{FEFF}ab", 4, "line 1, column 2"),
        ("\u{FEFF}\na", 4, "line 2, column 1"),
        ("\u{FEFF}a", 0, "line 1, column 1"),
    ]

    @Test("Lines end with LF, CR or both, columns are code points", arguments: rows)
    func position(text: String, offset: Int, place: String) {
        #expect(JSONPosition(offset: offset, in: Array(text.utf8)).description == place)
    }
}
