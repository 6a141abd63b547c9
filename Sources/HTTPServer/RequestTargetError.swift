/// Why a request target is illegal.
public enum RequestTargetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The target does not start with `/`: absolute and authority forms (RFC 9112 §3.2.2, §3.2.3) are for proxies.
    case notOriginForm
    /// A byte that has no place in a target.
    case illegalCharacter(UInt8)
    /// A `%` without two hexadecimal digits, an escaped NUL, or escapes that are not UTF-8.
    case illegalEscape

    /// A sentence that is safe to show to the client.
    public var description: String {
        switch self {
        case .notOriginForm:
            "the request target must start with \"/\""
        case .illegalCharacter(let byte):
            "the request target contains the byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
        case .illegalEscape:
            "the request target contains a percent escape that does not stand for UTF-8 text"
        }
    }
}
