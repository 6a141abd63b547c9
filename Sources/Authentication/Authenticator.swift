public import HTTPTypes
public import Transfer

/// Proves who a session is: puts its credentials on requests, and answers challenges.
///
/// Any thread; one for each session. Whether a request may carry the credentials at all (they belong to the base URL's
/// own origin) is the caller's to decide, for each hop of a redirect anew.
public final class Authenticator: Sendable {
    /// What it proves it with.
    public let credentials: Credentials

    private let mechanism: Mechanism
    private let clock: AuthenticationClock

    /// What is done with the credentials.
    private enum Mechanism {
        case refuse(AuthenticationError)
        case field(HTTPField)
        case queryItem(QueryItem)
        case digest(DigestAuthenticator)
        case oauth2(OAuth2Authenticator)
        case awsSignature4(AWSSignature4)
    }

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - credentials: What to prove it with.
    ///   - transport: Who fetches tokens; used with ``Credentials/oauth2(_:)`` only.
    ///   - clock: The time.
    ///   - randomBytes: That many bytes nobody can foresee.
    public init(
        _ credentials: Credentials, transport: any Transport, clock: AuthenticationClock = .system,
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = Authenticator.systemRandomBytes
    ) {
        self.credentials = credentials
        self.clock = clock
        mechanism = Self.mechanism(for: credentials, transport, clock, randomBytes)
    }

    private static func mechanism(
        for credentials: Credentials, _ transport: any Transport, _ clock: AuthenticationClock,
        _ randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) -> Mechanism {
        if let problem = credentials.problems.first {
            return .refuse(AuthenticationError(.authenticationFailed, "The credentials cannot be used: \(problem)"))
        }
        switch credentials {
        case .basic(let username, let password):
            let value = BasicAuthorization.value(username: username, password: password)
            return .field(HTTPField(name: .authorization, value: value))
        case .digest(let username, let password):
            return .digest(DigestAuthenticator(username: username, password: password, randomBytes: randomBytes))
        case .bearer(let token):
            return .field(HTTPField(name: .authorization, value: bearerPrefix + token))
        case .apiKey(let key):
            switch key.place {
            case .header(let name): return .field(HTTPField(name: name, value: key.value))
            case .query(let name): return .queryItem(QueryItem(name: name, value: key.value))
            }
        case .oauth2(let client):
            return .oauth2(OAuth2Authenticator(client, transport: transport, clock: clock))
        case .awsSignature4(let credentials):
            return .awsSignature4(AWSSignature4(credentials))
        }
    }

    /// The scheme of RFC 6750 §2.1 and the space behind it.
    private static let bearerPrefix = "Bearer "

    /// Puts the credentials on a request: the last step before it is sent, each time it is sent.
    ///
    /// A header field or query item of the same name is replaced; so what was sent can be authorized and sent again, as
    /// long as it has the same content. Waits, with OAuth 2, until there is a token; the
    /// other kinds answer at once. Cancelling the calling task ends the wait with the code `canceled`.
    ///
    /// - Throws: Why the request must not be sent.
    public func authorize(_ request: inout TransferRequest) async throws(AuthenticationError) {
        switch mechanism {
        case .refuse(let error):
            throw error
        case .field(let field):
            request.headers[fields: field.name] = [field]
        case .queryItem(let item):
            request.url = try item.replaced(in: request.url)
        case .digest(let digest):
            request.headers[.authorization] = digest.authorization(for: request)
        case .oauth2(let oauth2):
            request.headers[.authorization] = Self.bearerPrefix + (try await oauth2.token())
        case .awsSignature4(let signature):
            signature.sign(
                &request.headers, method: request.method, url: request.url, payload: AWSPayload(request.body),
                at: AWSTimestamp(secondsSince1970: clock.secondsSince1970()))
        }
    }

    /// How often an attempt is sent again for tokens that were refused: once for one that was too old, once for one
    /// that became so on its way.
    static let maxTokenRetries = 2

    /// What to do about the response 401 to a request that ``authorize(_:)`` has seen.
    ///
    /// | credentials | |
    /// | --- | --- |
    /// | Digest | learns from the challenge, unless that says that the credentials are wrong |
    /// | OAuth 2 | the token is stale; ``authorize(_:)`` will have another, twice at most |
    /// | others | have said what they had to say |
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - request: The request as it was sent.
    ///   - retries: How often the same attempt has been sent again for a 401 before. Without it, wrong credentials cost
    ///     some more requests until they are given up.
    public func challenge(
        _ head: ResponseHead, for request: TransferRequest, retries: Int = 0
    ) async -> AuthenticationRetry {
        guard head.status == 401 else { return .giveUp(reason: nil) }
        switch mechanism {
        case .refuse, .field, .queryItem, .awsSignature4:
            return .giveUp(reason: nil)
        case .digest(let digest):
            return digest.challenge(head, for: request, retries: retries)
        case .oauth2(let oauth2):
            if let sent = request.headers[.authorization], sent.hasPrefix(Self.bearerPrefix) {
                oauth2.reject(String(sent.dropFirst(Self.bearerPrefix.count)))
            }
            return retries < Self.maxTokenRetries
                ? .retry : .giveUp(reason: "The server does not accept the tokens of the token endpoint")
        }
    }

    /// The header fields that carry secrets of these credentials.
    public var secretHeaderNames: Set<HTTPField.Name> { credentials.secretHeaderNames }

    /// The query items that carry secrets of these credentials, unescaped.
    public var secretQueryNames: Set<String> { credentials.secretQueryNames }

    /// Bytes from the system's generator.
    public static let systemRandomBytes: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension Authenticator: RedactedReflection {
    /// The kind of the credentials, and nothing of what they have led to.
    public var description: String { "authenticator with \(credentials)" }
}
