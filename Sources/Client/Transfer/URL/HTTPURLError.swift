/// An error found while parsing a URL.
///
/// The descriptions quote nothing but the scheme, as a URL may contain secrets.
public enum HTTPURLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Longer than ``HTTPURL/maxBytes``.
    case tooLong
    /// The URL has no scheme, and there is no base URL.
    case notAbsolute
    /// A scheme other than `http` and `https`, in lower case.
    case unsupportedScheme(String)
    /// The URL has no host.
    case noHost
    /// The URL has user information: `user:password@` (an error by RFC 9110 §4.2.4).
    case userInformation
    /// The URL contains a control character (not allowed by RFC 3986; it is rejected rather than escaped).
    case controlCharacter
    /// The host contains a character that is allowed neither in a name nor in an address.
    case badHost
    /// The host is not ASCII; a URL contains its `xn--` form instead (RFC 5891 §4.4).
    case hostNotASCII
    /// The host ends in a number but is not an IPv4 address.
    case badIPv4
    /// The text in brackets is not an IPv6 address, or has a zone.
    case badIPv6
    /// The port is not a number from 1 to 65535.
    case badPort

    /// The error as a sentence for people.
    public var description: String {
        switch self {
        case .tooLong: "The URL is longer than \(HTTPURL.maxBytes) bytes"
        case .notAbsolute: "The URL is relative, and there is no base URL"
        case .unsupportedScheme(let scheme): "The scheme is \(scheme), not http or https"
        case .noHost: "The URL has no host"
        case .userInformation: "The URL contains user information; configure credentials instead"
        case .controlCharacter: "The URL contains a control character"
        case .badHost: "The host contains a character that is not allowed"
        case .hostNotASCII: "The host is not ASCII; write an internationalized name in its xn-- form"
        case .badIPv4: "The host ends in a number but is not an IPv4 address"
        case .badIPv6: "The host is not an IPv6 address"
        case .badPort: "The port is not a number from 1 to 65535"
        }
    }

    /// The description, without the scheme of the URL.
    ///
    /// For texts that may not be URLs at all: what stands before the first colon of `user:password` is no scheme.
    package var descriptionWithoutScheme: String {
        if case .unsupportedScheme = self { "The scheme is neither http nor https" } else { description }
    }

    /// The corresponding transfer error: `unsupported_url` for a scheme, `bad_url` for the rest.
    public var transferError: TransferError {
        switch self {
        case .unsupportedScheme: TransferError(.unsupportedURL, description)
        default: TransferError(.badURL, description)
        }
    }
}
