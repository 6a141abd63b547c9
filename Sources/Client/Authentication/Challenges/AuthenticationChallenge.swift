package import ErrandTransfer
import HTTPTypes

/// An authentication challenge of a server (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The authentication scheme in lower case, such as `digest`.
    public let scheme: String
    /// The token68 value after the scheme, such as the Base64 of `Negotiate`; `nil` if there are parameters.
    public let token68: String?
    /// The parameters in order, with names in lower case and values without quotes.
    public let parameters: [Parameter]

    /// A parameter of a challenge.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public var name: String
        /// The value without quotes and escapes.
        public var value: String

        /// Creates a parameter from its parts.
        ///
        /// - Parameters:
        ///   - name: The name in lower case.
        ///   - value: The value without quotes and escapes.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a challenge from its parts.
    ///
    /// - Parameters:
    ///   - scheme: The authentication scheme in lower case.
    ///   - token68: The token68 value; `nil` if there are parameters.
    ///   - parameters: The parameters in order.
    public init(scheme: String, token68: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// Returns the value of the first parameter with this name in lower case.
    public subscript(parameter name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// The most challenges that are read from one response.
    package static let maxChallenges = 32
    /// The most parameters that are read from one challenge.
    package static let maxParameters = 32

    /// Parses the values of `WWW-Authenticate` fields (RFC 9110 §11.6.1), in order.
    ///
    /// The parser is lenient: it accepts values without the required quotes (`nonce=a+b==`) and skips empty list
    /// elements. If a field cannot be parsed any further, the rest of it is dropped and the challenges before it are
    /// kept.
    package static func parse(fields: [String]) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for field in fields {
            var reader = AuthenticationChallengeReader(field)
            while challenges.count < maxChallenges, let challenge = reader.next() {
                challenges.append(challenge)
            }
        }
        return challenges
    }
}

extension ResponseHead {
    /// The authentication challenges of all `WWW-Authenticate` fields, in order.
    package var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(fields: headers.compactMap { $0.name == .wwwAuthenticate ? $0.value : nil })
    }
}
