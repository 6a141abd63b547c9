/// Why a text is no URL that can be asked.
///
/// The descriptions repeat nothing of the text, which may hold secrets.
public enum HTTPURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Longer than ``HTTPURL/maxBytes``.
    case tooLong
    /// There is no scheme, and no base to take one from.
    case notAbsolute
    /// A scheme other than `http` and `https`, in lower case.
    case unsupportedScheme(String)
    /// There is no host.
    case noHost
    /// There is user information: `user:password@` (RFC 9110 §4.2.4 has it treated as an error).
    case userInformation
    /// A control character (RFC 3986 allows none, not even escaped by us: none gets there by honest means).
    case controlCharacter
    /// The host holds a character that neither a name nor an address has.
    case badHost
    /// The host is not ASCII; its `xn--` form is what goes into a URL (RFC 5891 §4.4).
    case hostNotASCII
    /// The host ends in a number but is no IPv4 address.
    case badIPv4
    /// What stands between brackets is no IPv6 address, or has a zone.
    case badIPv6
    /// The port is no number from 1 to 65535.
    case badPort

    /// What is wrong, for people.
    public var description: String {
        switch self {
        case .tooLong: "The URL is longer than \(HTTPURL.maxBytes) bytes"
        case .notAbsolute: "The URL is relative, and there is no base URL"
        case .unsupportedScheme(let scheme): "The scheme is \(scheme), not http or https"
        case .noHost: "The URL has no host"
        case .userInformation: "The URL holds user information; credentials are configured elsewhere"
        case .controlCharacter: "The URL holds a control character"
        case .badHost: "The host holds a character that is not allowed"
        case .hostNotASCII: "The host is not ASCII; write an internationalised name in its xn-- form"
        case .badIPv4: "The host ends in a number but is no IPv4 address"
        case .badIPv6: "The host is no IPv6 address"
        case .badPort: "The port is no number from 1 to 65535"
        }
    }

    /// The same as a failure of a transfer: `unsupported_url` for a scheme, `bad_url` for the rest.
    public var transferError: TransferError {
        switch self {
        case .unsupportedScheme: TransferError(.unsupportedURL, description)
        default: TransferError(.badURL, description)
        }
    }
}
