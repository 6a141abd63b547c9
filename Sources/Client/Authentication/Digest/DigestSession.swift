import ErrandHTTPGrammar
import ErrandText
import ErrandTransfer
import HTTPTypes

/// Computes the authorizations for one nonce of a server, with a shared secret and a count (RFC 7616 §3.4).
package struct DigestSession: Sendable {
    /// The challenge with the nonce.
    package let challenge: DigestChallenge
    /// The number of requests that were authorized with the nonce.
    package private(set) var count: UInt32 = 0

    private let clientNonce: String
    /// `H(A1)`: equivalent to the password for this realm.
    private let secret: String
    /// The parameter with the user name.
    private let user: String

    /// Creates a session for a challenge; returns `nil` if its hash function is not available.
    ///
    /// User name and password are used as given, in UTF-8; RFC 7616 §4 makes servers expect normalization form C.
    ///
    /// - Parameter clientNonce: An unpredictable value, the same for all requests: with `-sess`, RFC 7616 §3.4.2
    ///   combines the first one with the secret, and some servers the latest. The nonce count distinguishes the
    ///   requests.
    package init?(_ challenge: DigestChallenge, username: String, password: String, clientNonce: String) {
        let hash = challenge.algorithm.hash
        guard var secret = hash("\(username):\(challenge.realm):\(password)") else { return nil }
        if challenge.algorithm.isSession {
            guard let mixed = hash("\(secret):\(challenge.nonce):\(clientNonce)") else { return nil }
            secret = mixed
        }
        guard let user = Self.userParameter(username, for: challenge) else { return nil }
        self.challenge = challenge
        self.clientNonce = clientNonce
        self.secret = secret
        self.user = user
    }

    /// Creates a session for the first challenge whose hash function is available; returns `nil` if there is none.
    ///
    /// - Parameters:
    ///   - challenges: The challenges, in the order of preference.
    ///   - username: The user name.
    ///   - password: The password.
    ///   - randomBytes: Returns the given number of unpredictable bytes.
    init?(
        _ challenges: [DigestChallenge], username: String, password: String, randomBytes: (Int) -> [UInt8]
    ) {
        let clientNonce = Base64.encode(randomBytes(18))
        for challenge in challenges {
            let session = DigestSession(challenge, username: username, password: password, clientNonce: clientNonce)
            guard let session else { continue }
            self = session
            return
        }
        return nil
    }

    /// Counts one more request; returns `false` if the nonce count is exhausted.
    package mutating func countRequest() -> Bool {
        guard count < .max else { return false }
        count += 1
        return true
    }

    /// Goes on with the count of another session for the same nonce, whose count must not restart.
    mutating func continueCount(of former: DigestSession) {
        count = former.count
    }

    /// Returns the value of `Authorization` for the request that was counted last.
    ///
    /// - Parameter target: The request target as it is sent.
    package func authorization(method: String, target: String) -> String? {
        let hash = challenge.algorithm.hash
        guard let request = hash("\(method):\(target)") else { return nil }
        let number = Self.eightDigits(count)
        let proof =
            challenge.hasQuality
            ? "\(secret):\(challenge.nonce):\(number):\(clientNonce):auth:\(request)"
            : "\(secret):\(challenge.nonce):\(request)"
        guard let response = hash(proof) else { return nil }
        var parameters = [
            user, "realm=\(ParameterValue.quoted(challenge.realm))", "uri=\(ParameterValue.quoted(target))",
        ]
        if challenge.namesAlgorithm { parameters.append("algorithm=\(challenge.algorithm.name)") }
        parameters.append("nonce=\(ParameterValue.quoted(challenge.nonce))")
        if challenge.hasQuality {
            parameters += ["nc=\(number)", "cnonce=\(ParameterValue.quoted(clientNonce))", "qop=auth"]
        }
        parameters.append("response=\"\(response)\"")
        if let opaque = challenge.opaque { parameters.append("opaque=\(ParameterValue.quoted(opaque))") }
        if challenge.wantsUserHash { parameters.append("userhash=true") }
        return "Digest " + parameters.joined(separator: ", ")
    }

    /// Returns the user name as a digest, in the extended form of RFC 8187 if the server supports it, or as given.
    private static func userParameter(_ username: String, for challenge: DigestChallenge) -> String? {
        if challenge.wantsUserHash {
            return challenge.algorithm.hash("\(username):\(challenge.realm)").map { "username=\"\($0)\"" }
        }
        if challenge.isUTF8, !username.utf8.allSatisfy({ $0 < 0x80 }) {
            return "username*=UTF-8''\(PercentCoding.encode(username.utf8))"
        }
        return "username=\(ParameterValue.quoted(username))"
    }

    private static func eightDigits(_ number: UInt32) -> String {
        Hexadecimal.text(number, minimumDigits: 8)
    }
}

extension DigestSession: RedactedReflection {
    /// The algorithm, without the secret.
    package var description: String { "\(challenge.algorithm.name) digest [redacted]" }
}

/// The answer to a Digest challenge, with the nonce of that challenge (RFC 7616 §3.4).
final class DigestAnswer: ChallengeAnswer {
    private let session: DigestSession

    /// Creates the answer.
    ///
    /// - Parameter session: The session of the nonce, which has counted this answer last.
    init(_ session: DigestSession) {
        self.session = session
    }

    func authorize(_ request: inout TransferRequest) {
        request.headers[.authorization] = session.authorization(
            method: request.method.rawValue, target: request.url.target)
    }
}
