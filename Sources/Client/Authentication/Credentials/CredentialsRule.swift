/// A rule for one value of credentials.
enum CredentialsRule {
    case isGiven
    case isText
    case isTrimmed
    case isVisibleASCII
    case isScope
    case isScopePart

    func holds(for value: String) -> Bool {
        switch self {
        case .isGiven: !value.isEmpty
        case .isText: value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        case .isTrimmed: value.utf8.first != UInt8(ascii: " ") && value.utf8.last != UInt8(ascii: " ")
        case .isVisibleASCII: value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        case .isScope: value.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""\"#.utf8.contains($0) }
        case .isScopePart: value.utf8.allSatisfy { !"/,".utf8.contains($0) }
        }
    }

    var detail: String {
        switch self {
        case .isGiven: "is empty"
        case .isText: "contains a control character"
        case .isTrimmed: "begins or ends with a space, which is lost in a header field"
        case .isVisibleASCII: "contains a character that is not visible ASCII"
        case .isScope: "contains a character invalid in a scope (RFC 6749 §3.3)"
        case .isScopePart: "contains a slash or a comma"
        }
    }
}

extension CredentialsProblem {
    /// Returns the problem for the first rule that a value violates.
    static func check(_ member: String, _ value: String, against rules: CredentialsRule...) -> [CredentialsProblem] {
        rules.first { !$0.holds(for: value) }.map { [CredentialsProblem(member, $0.detail)] } ?? []
    }
}
