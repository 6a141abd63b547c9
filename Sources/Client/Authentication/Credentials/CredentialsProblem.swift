/// The reason for which credentials cannot be used.
public struct CredentialsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The invalid member, by its name in configurations, such as `client_id`.
    public var member: String
    /// The message for users, without the value: a clause whose subject is the member.
    public var detail: String

    /// Creates a problem.
    public init(_ member: String, _ detail: String) {
        self.member = member
        self.detail = detail
    }

    /// The member and the detail.
    public var description: String { "\(member) \(detail)" }
}

extension Credentials {
    /// Returns the problems of the values; empty if they can be used.
    ///
    /// An ``Authenticator`` refuses to authorize requests with credentials that have problems.
    ///
    /// | credentials | rule |
    /// | --- | --- |
    /// | basic | no colon in the user name (RFC 7617 §2), no control characters |
    /// | digest | no control characters (RFC 7616 §3.4), a user name |
    /// | bearer | visible ASCII without spaces (more than RFC 6750 §2.1 allows, as servers issue such tokens) |
    /// | API key | a value; in a header field without control characters, in a query with a name |
    /// | OAuth 2 | a client identifier and a secret, scopes of the characters of RFC 6749 §3.3 |
    /// | AWS | everything except the session token is required, in visible ASCII; no `/` or comma in parts of the scope |
    public var problems: [CredentialsProblem] {
        switch self {
        case .basic(let username, let password):
            Self.basicProblems(username, password)
        case .digest(let username, let password):
            Self.check("username", username, against: .isGiven, .isText)
                + Self.check("password", password, against: .isText)
        case .bearer(let token):
            Self.check("token", token, against: .isGiven, .isVisibleASCII)
        case .apiKey(let key):
            Self.problems(of: key)
        case .oauth2(let client):
            Self.check("client_id", client.clientID, against: .isGiven)
                + Self.check("client_secret", client.clientSecret, against: .isGiven)
                + client.scopes.flatMap { Self.check("scopes", $0, against: .isGiven, .isScope) }
        case .awsSignature4(let credentials):
            Self.problems(of: credentials)
        }
    }

    private static func basicProblems(_ username: String, _ password: String) -> [CredentialsProblem] {
        var problems = check("username", username, against: .isText) + check("password", password, against: .isText)
        if username.utf8.contains(UInt8(ascii: ":")) {
            problems.append(CredentialsProblem("username", "contains a colon, which it must not (RFC 7617 §2)"))
        }
        return problems
    }

    private static func problems(of key: APIKey) -> [CredentialsProblem] {
        switch key.place {
        case .header:
            check("value", key.value, against: .isGiven, .isText, .isTrimmed)
        case .query(let name):
            check("query", name, against: .isGiven) + check("value", key.value, against: .isGiven)
        }
    }

    private static func problems(of credentials: AWSCredentials) -> [CredentialsProblem] {
        check("region", credentials.region, against: .isGiven, .isVisibleASCII, .isScopePart)
            + check("service", credentials.service, against: .isGiven, .isVisibleASCII, .isScopePart)
            + check("access_key", credentials.accessKey, against: .isGiven, .isVisibleASCII, .isScopePart)
            + check("secret_key", credentials.secretKey, against: .isGiven)
            + (credentials.sessionToken.map { check("session_token", $0, against: .isGiven, .isVisibleASCII) } ?? [])
    }

    /// Returns the problem for the first rule that a value violates.
    private static func check(_ member: String, _ value: String, against rules: Rule...) -> [CredentialsProblem] {
        rules.first { !$0.holds(for: value) }.map { [CredentialsProblem(member, $0.detail)] } ?? []
    }

    private enum Rule {
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
}
