/// A location in a YAML text.
package struct YAMLMark: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The line, counted from 1.
    ///
    /// Lines end as in YAML 1.1 §5.4: LF, CR, CR LF, NEL, LS and PS.
    package var line: Int
    /// The column, counted from 1 in Unicode scalars; a byte order mark is not counted.
    package var column: Int

    /// Creates a location; the first character of a text is at 1:1.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The location of the first character of a text.
    package static let start = YAMLMark(line: 1, column: 1)

    package static func < (left: YAMLMark, right: YAMLMark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// The location in the form of compilers, `line:column`.
    package var description: String { "\(line):\(column)" }
}

/// A counter of lines and columns that counts as libyaml does.
struct YAMLPosition {
    /// The location of the next character.
    private(set) var mark = YAMLMark.start
    private var isAfterCarriageReturn = false

    /// Advances over a character.
    mutating func advance(over scalar: Unicode.Scalar) {
        defer { isAfterCarriageReturn = scalar == "\r" }
        switch scalar {
        case "\n" where isAfterCarriageReturn:
            return
        case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
            mark = YAMLMark(line: mark.line + 1, column: 1)
        default:
            mark.column += 1
        }
    }
}
