import HTTPGrammar

/// The answers to one nonce of a server: the same secret for all, and a count (RFC 7616 §3.4).
package struct DigestSession: Sendable {
    /// What is answered.
    package let challenge: DigestChallenge
    /// How many requests have been authorized with the nonce.
    package private(set) var count: UInt32 = 0

    private let clientNonce: String
    /// `H(A1)`: as good as the password for this realm.
    private let secret: String
    /// The parameter that names the user.
    private let user: String

    /// Begins to answer a challenge; `nil` where its hash may not be computed here.
    ///
    /// User name and password are taken as they are written, in UTF-8; RFC 7616 §4 has servers expect them in the
    /// normalization form C.
    ///
    /// - Parameter clientNonce: What nobody can foresee. One for all answers: with `-sess`, RFC 7616 §3.4.2 mixes the
    ///   first one into the secret, and some servers the latest; the count tells requests apart anyway.
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

    /// Counts one more request; `false` when the count has no number left for it.
    package mutating func countRequest() -> Bool {
        guard count < .max else { return false }
        count += 1
        return true
    }

    /// The value of `Authorization` for the request that was counted last.
    ///
    /// - Parameter target: The request target, as it is sent.
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

    /// The user as digest, in the extended form of RFC 8187 where the server reads it, or as it is.
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
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 8 - text.utf8.count) + text
    }
}

extension DigestSession: RedactedReflection {
    /// The algorithm, and nothing of the secret.
    package var description: String { "\(challenge.algorithm.name) digest [redacted]" }
}
