import ErrandLocking
import ErrandText
package import ErrandTransfer
import HTTPTypes

/// Responds to Digest challenges and authorizes later requests preemptively (RFC 7616 §3.6).
///
/// May be used on any thread. It keeps one nonce for each protection space (an origin and a realm); concurrent requests
/// use different nonce counts. A request uses the realm that its origin has named last.
package final class DigestAuthenticator: Sendable {
    private let username: String
    private let password: String
    private let randomBytes: @Sendable (Int) -> [UInt8]
    /// The known protection spaces, the latest first.
    private let spaces = Mutex<[ProtectionSpace]>([])

    private struct ProtectionSpace {
        let origin: HTTPURL.Origin
        var session: DigestSession

        func isNamed(_ origin: HTTPURL.Origin, _ realm: String) -> Bool {
            self.origin == origin && session.challenge.realm == realm
        }
    }

    /// The most protection spaces that are kept; beyond that, the one that was named longest ago is dropped.
    package static let maxSpaces = 16
    /// The most retries of an attempt after stale nonces: two could expire while it is on its way.
    package static let maxStaleRetries = 3

    /// Creates an authenticator without any known challenge.
    package init(username: String, password: String, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.username = username
        self.password = password
        self.randomBytes = randomBytes
    }

    /// Returns the value of `Authorization` for a request; `nil` before the first challenge of its origin.
    package func authorization(for request: TransferRequest) -> String? {
        let session = spaces.withLock { spaces -> DigestSession? in
            guard let index = spaces.firstIndex(where: { $0.origin == request.url.origin }) else { return nil }
            guard spaces[index].session.countRequest() else {
                // The nonce count is exhausted. Without the space, the server sends a new nonce.
                spaces.remove(at: index)
                return nil
            }
            return spaces[index].session
        }
        return session?.authorization(method: request.method.rawValue, target: request.url.target)
    }

    /// Returns the reaction to a 401 response.
    ///
    /// | the request had | the challenge has | |
    /// | --- | --- | --- |
    /// | no authorization, or one for another realm | anything | retry |
    /// | any nonce | `stale=true` | retry, at most three times |
    /// | its nonce's first use | any nonce | the credentials are wrong |
    /// | a nonce that was used before | the same nonce | the credentials are wrong |
    /// | a nonce that was used before | another nonce | retry once: the server has forgotten the old one |
    package func challenge(
        _ head: ResponseHead, for request: TransferRequest, retries: Int
    ) -> AuthenticationRetry {
        let fields = head.headers.lazy.filter { $0.name == .wwwAuthenticate }.map(\.value)
        guard let session = session(for: AuthenticationChallenge.parse(fields: Array(fields))) else {
            return .giveUp(reason: "The response has no supported Digest challenge")
        }
        let offered = session.challenge
        if let sent = SentAuthorization(request), sent.realm == offered.realm {
            guard offered.isStale || !sent.isRefused(by: offered, retries: retries) else {
                forget(origin: request.url.origin, sent)
                return .giveUp(reason: "The server does not accept the Digest credentials")
            }
        }
        guard retries < Self.maxStaleRetries else {
            return .giveUp(reason: "The server keeps asking for Digest credentials")
        }
        remember(session, origin: request.url.origin)
        return .retry
    }

    /// Creates a session for the strongest supported challenge.
    private func session(for challenges: [AuthenticationChallenge]) -> DigestSession? {
        let clientNonce = Base64.encode(randomBytes(18))
        for challenge in DigestChallenge.answerable(of: challenges) {
            let session = DigestSession(
                challenge, username: username, password: password, clientNonce: clientNonce)
            if let session { return session }
        }
        return nil
    }

    /// Puts a session first, unless its nonce is already in use: the count of a nonce must not restart.
    private func remember(_ session: DigestSession, origin: HTTPURL.Origin) {
        spaces.withLock { spaces in
            var space = ProtectionSpace(origin: origin, session: session)
            if let index = spaces.firstIndex(where: { $0.isNamed(origin, session.challenge.realm) }) {
                let known = spaces.remove(at: index)
                if known.session.answersSameNonce(as: session) { space = known }
            }
            spaces.insert(space, at: 0)
            if spaces.count > Self.maxSpaces { spaces.removeLast() }
        }
    }

    /// Drops the session that was refused, unless it already has a newer nonce.
    private func forget(origin: HTTPURL.Origin, _ sent: SentAuthorization) {
        spaces.withLock { spaces in
            spaces.removeAll { $0.isNamed(origin, sent.realm) && $0.session.challenge.nonce == sent.nonce }
        }
    }
}

extension DigestAuthenticator: AuthenticationMechanism {
    func authorize(_ request: inout TransferRequest) {
        request.headers[.authorization] = authorization(for: request)
    }

    /// Forgets the challenges of all origins.
    package func reset() {
        spaces.withLock { $0 = [] }
    }
}

extension DigestSession {
    /// Returns whether both respond to the same nonce in the same way.
    fileprivate func answersSameNonce(as other: DigestSession) -> Bool {
        challenge.nonce == other.challenge.nonce && challenge.algorithm == other.challenge.algorithm
            && challenge.opaque == other.challenge.opaque && challenge.hasQuality == other.challenge.hasQuality
    }
}

/// The parameters of a request's `Authorization` field.
private struct SentAuthorization {
    let realm: String
    let nonce: String
    /// The number of requests that used the nonce, including this one; `nil` without quality of protection.
    let count: Int?

    /// Parses the field; returns `nil` if the request has no Digest authorization.
    ///
    /// Credentials have the grammar of challenges (RFC 9110 §11.4).
    init?(_ request: TransferRequest) {
        guard let field = request.headers[.authorization],
            let sent = AuthenticationChallenge.parse(fields: [field]).first, sent.scheme == "digest",
            let realm = sent[parameter: "realm"], let nonce = sent[parameter: "nonce"]
        else { return nil }
        self.realm = realm
        self.nonce = nonce
        count = sent[parameter: "nc"].flatMap { Int($0, radix: 16) }
    }

    /// Returns whether a challenge that is not stale means that the credentials are wrong.
    func isRefused(by offered: DigestChallenge, retries: Int) -> Bool {
        nonce == offered.nonce || count == 1 || retries > 0
    }
}
