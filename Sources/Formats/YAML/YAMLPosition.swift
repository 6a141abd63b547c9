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
