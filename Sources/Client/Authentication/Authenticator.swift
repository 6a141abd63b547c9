import ErrandText
public import ErrandTransfer
public import HTTPTypes

/// Adds a session's credentials to its requests and responds to challenges.
///
/// May be used on any thread; each session has its own. The caller decides for each hop of a redirect whether the
/// request may carry the credentials, which belong to the origin of the base URL.
public final class Authenticator: Sendable {
    /// The credentials of the session.
    public let credentials: Credentials

    private let mechanism: Mechanism
    private let clock: AuthenticationClock

    /// The implementation for the kind of credentials.
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
    ///   - credentials: The credentials to add.
    ///   - transport: The transport for token requests; used with ``Credentials/oauth2(_:)`` only.
    ///   - clock: The clocks for expiry and signatures.
    ///   - randomBytes: Returns the given number of unpredictable bytes.
    public init(
        _ credentials: Credentials, transport: any Transport, clock: AuthenticationClock = .system,
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = Authenticator.systemRandomBytes
    ) {
        self.credentials = credentials
        self.clock = clock
        mechanism = Self.mechanism(for: credentials, transport: transport, clock: clock, randomBytes: randomBytes)
    }

    private static func mechanism(
        for credentials: Credentials, transport: any Transport, clock: AuthenticationClock,
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
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

    /// The scheme name of RFC 6750 §2.1 and the space after it.
    private static let bearerPrefix = "Bearer "

    /// Adds the credentials to a request, as the last step each time before it is sent.
    ///
    /// Replaces a header field or query item of the same name, so that a request can be authorized and sent again as
    /// long as its content is unchanged. With OAuth 2 it waits for a token; the other kinds return immediately.
    /// Cancelling the calling task ends the wait with the code `canceled`.
    ///
    /// - Throws: ``AuthenticationError`` with the reason for which the request must not be sent.
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

    /// The most retries of an attempt after refused tokens: one for a token that had expired, one for a token that
    /// expired on its way.
    static let maxTokenRetries = 2

    /// Returns the reaction to the response 401 to a request that ``authorize(_:)`` has authorized.
    ///
    /// | credentials | |
    /// | --- | --- |
    /// | Digest | learns from the challenge, unless it says that the credentials are wrong |
    /// | OAuth 2 | discards the token; ``authorize(_:)`` gets another, at most twice |
    /// | others | gives up |
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - request: The request as it was sent.
    ///   - retries: The number of earlier retries of the same attempt after a 401. If the caller does not count,
    ///     wrong credentials cost a few more requests.
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

    /// The header fields that contain secrets of these credentials.
    public var secretHeaderNames: Set<HTTPField.Name> { credentials.secretHeaderNames }

    /// The query items that contain secrets of these credentials, unescaped.
    public var secretQueryNames: Set<String> { credentials.secretQueryNames }

    /// Returns bytes from the system's random generator.
    public static let systemRandomBytes: @Sendable (Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension Authenticator: RedactedReflection {
    /// The kind of the credentials, without any state derived from them.
    public var description: String { "authenticator with \(credentials)" }
}

/// The reaction to a 401 response.
public enum AuthenticationRetry: Sendable, Hashable {
    /// Authorizes the request again and resends it.
    case retry
    /// Returns the response to the caller.
    ///
    /// - Parameter reason: The reason for users: one sentence without a full stop and without secrets; `nil` if
    ///   credentials of this kind do not respond to challenges.
    case giveUp(reason: String?)
}

/// The Basic authentication scheme (RFC 7617), in UTF-8.
enum BasicAuthorization {
    /// Returns the value of `Authorization`.
    static func value(username: String, password: String) -> String {
        "Basic " + Base64.encode(Array("\(username):\(password)".utf8))
    }
}
