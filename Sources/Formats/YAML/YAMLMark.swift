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
