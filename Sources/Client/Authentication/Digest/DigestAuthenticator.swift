import ErrandLocking
package import ErrandTransfer
import HTTPTypes

/// Responds to Digest challenges and authorizes later requests preemptively (RFC 7616 §3.6).
///
/// May be used on any thread. It keeps the latest nonces of the protection spaces (an origin and a realm); concurrent
/// requests use different nonce counts. A challenged request is repeated with the nonce of its own challenge, because
/// servers may accept each nonce only once. Other requests use the nonce that their origin has named last.
package final class DigestAuthenticator: Sendable {
    private let username: String
    private let password: String
    private let randomBytes: @Sendable (Int) -> [UInt8]
    /// The known nonces, the latest first.
    private let nonces = Mutex<[KnownNonce]>([])

    /// A nonce that a server has named; it is kept for its count even if later requests do not use it.
    private struct KnownNonce {
        let origin: HTTPURL.Origin
        var session: DigestSession
        /// True for the nonce of its protection space that later requests use.
        var isShared: Bool

        func belongs(to origin: HTTPURL.Origin, _ realm: String) -> Bool {
            self.origin == origin && session.challenge.realm == realm
        }

        func isNamed(_ name: String, by origin: HTTPURL.Origin, _ realm: String) -> Bool {
            session.challenge.nonce == name && belongs(to: origin, realm)
        }

        /// Goes on from what is known about the same nonce.
        mutating func goOn(from known: KnownNonce) {
            if known.session.answersSameNonce(as: session) {
                session = known.session
            } else {
                session.continueCount(of: known.session)
            }
            isShared = isShared || known.isShared
        }
    }

    /// The most nonces that are kept; beyond that, the one that was named longest ago is dropped, preferably one that
    /// later requests do not use.
    package static let maxNonces = 16
    /// The most retries of a request after stale nonces: two could expire while it is on its way.
    package static let maxStaleRetries = 3
    /// The most retries of a request after refusals of which other requests with the same nonce may be the reason: the
    /// refusal of a nonce that was used before, and that of the first answer.
    package static let maxDoubtfulRetries = 2

    /// Creates an authenticator without any known challenge.
    package init(username: String, password: String, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.username = username
        self.password = password
        self.randomBytes = randomBytes
    }

    /// Returns the value of `Authorization` for a request; `nil` before the first challenge of its origin.
    package func authorization(for request: TransferRequest) -> String? {
        let origin = request.url.origin
        let session = nonces.withLock { nonces -> DigestSession? in
            guard let index = nonces.firstIndex(where: { $0.isShared && $0.origin == origin }) else { return nil }
            guard nonces[index].session.countRequest() else {
                // The nonce count is exhausted. Without an authorization, the server sends a new nonce.
                nonces.remove(at: index)
                return nil
            }
            return nonces[index].session
        }
        return session?.authorization(method: request.method.rawValue, target: request.url.target)
    }

    /// Returns the reaction to a 401 response.
    ///
    /// | the request had | the challenge has | |
    /// | --- | --- | --- |
    /// | no authorization, or one for another realm | anything | retry |
    /// | any nonce | `stale=true` | retry, at most three times |
    /// | any nonce | the same nonce | the credentials are wrong |
    /// | a nonce that no other request has used | another nonce | the credentials are wrong |
    /// | a nonce that other requests have used too | another nonce | retry, at most twice: it may be valid only once |
    ///
    /// - Parameter challenges: The earlier challenges to the request; a retry is recorded there, with its answer.
    package func challenge(
        _ head: ResponseHead, for request: TransferRequest, after challenges: inout AnsweredChallenges
    ) -> AuthenticationRetry {
        guard let session = session(for: head.challenges) else {
            return .giveUp(reason: "The response has no supported Digest challenge")
        }
        let origin = request.url.origin
        let refused = SentAuthorization(request, refusedBy: session.challenge)
        if let refused, areWrong(refused, at: origin, session.challenge, retries: challenges.count) {
            forget(refused, of: origin)
            return .giveUp(reason: "The server does not accept the Digest credentials")
        }
        guard challenges.count < Self.maxStaleRetries else {
            return .giveUp(reason: "The server keeps asking for Digest credentials")
        }
        // After the refusal of an answer the next nonce is for this request alone, so that no other can use it up.
        let isShared = refused == nil || challenges.count == 0
        challenges.record(remember(session, of: origin, isShared: isShared).map { DigestAnswer($0) })
        return .retry
    }

    /// Returns true if the refusal of an authorization means that the credentials are wrong.
    private func areWrong(
        _ refused: SentAuthorization, at origin: HTTPURL.Origin, _ offered: DigestChallenge, retries: Int
    ) -> Bool {
        if refused.nonce == offered.nonce || retries >= Self.maxDoubtfulRetries { return true }
        return nonces.withLock { nonces in
            nonces.contains { $0.isNamed(refused.nonce, by: origin, refused.realm) && $0.session.count == 1 }
        }
    }

    /// Creates a session for the strongest supported challenge.
    private func session(for challenges: [AuthenticationChallenge]) -> DigestSession? {
        DigestSession(
            DigestChallenge.answerable(of: challenges), username: username, password: password,
            randomBytes: randomBytes)
    }

    /// Puts the nonce of a session first, and counts the answer to its challenge.
    ///
    /// - Parameter isShared: True to let later requests of the protection space use the nonce.
    /// - Returns: The session that has counted the answer; `nil` if the nonce count is exhausted.
    private func remember(
        _ session: DigestSession, of origin: HTTPURL.Origin, isShared: Bool
    ) -> DigestSession? {
        let (realm, name) = (session.challenge.realm, session.challenge.nonce)
        return nonces.withLock { nonces -> DigestSession? in
            var nonce = KnownNonce(origin: origin, session: session, isShared: isShared)
            let known = nonces.firstIndex { $0.isNamed(name, by: origin, realm) }
            if let known { nonce.goOn(from: nonces.remove(at: known)) }
            guard nonce.session.countRequest() else { return nil }
            if nonce.isShared {
                for index in nonces.indices where nonces[index].belongs(to: origin, realm) {
                    nonces[index].isShared = false
                }
            }
            nonces.insert(nonce, at: 0)
            if nonces.count > Self.maxNonces {
                let oldest = nonces.dropFirst().lastIndex { !$0.isShared }
                nonces.remove(at: oldest ?? nonces.count - 1)
            }
            return nonce.session
        }
    }

    /// Drops the nonce that was refused.
    private func forget(_ refused: SentAuthorization, of origin: HTTPURL.Origin) {
        nonces.withLock { nonces in
            nonces.removeAll { $0.isNamed(refused.nonce, by: origin, refused.realm) }
        }
    }
}

extension DigestAuthenticator: AuthenticationMechanism {
    func authorize(_ request: inout TransferRequest) {
        request.headers[.authorization] = authorization(for: request)
    }

    /// Forgets the challenges of all origins.
    package func reset() {
        nonces.withLock { $0 = [] }
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

    /// Parses the field of a request that was challenged.
    ///
    /// Returns `nil` if the request has no Digest authorization, or if the challenge does not refuse it: it is for
    /// another realm, or only the nonce was stale. Credentials have the grammar of challenges (RFC 9110 §11.4).
    init?(_ request: TransferRequest, refusedBy challenge: DigestChallenge) {
        guard !challenge.isStale, let field = request.headers[.authorization],
            let sent = AuthenticationChallenge.parse(fields: [field]).first, sent.scheme == "digest",
            let realm = sent[parameter: "realm"], let nonce = sent[parameter: "nonce"], realm == challenge.realm
        else { return nil }
        self.realm = realm
        self.nonce = nonce
    }
}
