/// One way in which a server lets a client prove who it is (RFC 9110 §11.3).
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The authentication scheme in lower case, such as `digest`.
    public let scheme: String
    /// What stands behind the scheme where it is not a list of parameters, such as the base64 of `Negotiate`.
    public let token68: String?
    /// The parameters in their order, names in lower case, values without quotes.
    public let parameters: [Parameter]

    /// A parameter of a challenge.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public var name: String
        /// The value as it is meant, without quotes and escapes.
        public var value: String

        /// Creates a parameter from its parts.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a challenge from its parts, names in lower case.
    public init(scheme: String, token68: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// The value of the first parameter with this name in lower case.
    public subscript(parameter name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// The most challenges that are read of one response.
    public static let maxChallenges = 32
    /// The most parameters that are read of one challenge.
    public static let maxParameters = 32

    /// Reads the values of `WWW-Authenticate` fields (RFC 9110 §11.6.1), in their order.
    ///
    /// Lenient, as servers are sloppy: values need no quotes where they should have some (`nonce=a+b==`), and empty
    /// elements of a list are nothing. Where a field is beyond understanding, the rest of it is dropped, and the
    /// challenges before stay.
    public static func parse(fields: [String]) -> [AuthenticationChallenge] {
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
