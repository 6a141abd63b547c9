import ErrandText

/// A fault of a request target.
public enum RequestTargetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The target is neither a path nor an address of `http` or `https`; the authority form (RFC 9112 §3.2.3) is for
    /// proxies.
    case notOriginForm
    /// The authority of an absolute target is not a host with an optional port.
    case illegalAuthority
    /// The target contains an illegal byte.
    case illegalCharacter(UInt8)
    /// A `%` without two hexadecimal digits, an escaped NUL, or escapes that are not UTF-8.
    case illegalEscape

    /// A description that is safe to show to the client.
    public var description: String {
        switch self {
        case .notOriginForm:
            "the request target must start with \"/\", \"http://\" or \"https://\""
        case .illegalAuthority:
            "the request target has no valid host and port"
        case .illegalCharacter(let byte):
            "the request target contains the byte 0x\(Hexadecimal.text(byte, minimumDigits: 2, isUppercase: true))"
        case .illegalEscape:
            "the request target contains a percent escape that does not stand for UTF-8 text"
        }
    }
}
