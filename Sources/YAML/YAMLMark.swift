/// A place in a YAML text.
package struct YAMLMark: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The line, from 1.
    ///
    /// Lines end as YAML 1.1 §5.4 says: LF, CR, CR LF, NEL, LS and PS.
    package var line: Int
    /// The column, from 1, in Unicode scalars; a byte order mark counts for none.
    package var column: Int

    /// Creates a mark; the first character of a text is at 1:1.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The first character of a text.
    package static let start = YAMLMark(line: 1, column: 1)

    package static func < (left: YAMLMark, right: YAMLMark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }

    /// `line:column`, as compilers write it.
    package var description: String { "\(line):\(column)" }
}
