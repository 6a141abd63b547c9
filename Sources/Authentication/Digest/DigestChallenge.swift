/// A challenge of the scheme Digest that can be answered (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// What the credentials are good for.
    package let realm: String
    /// The server's nonce.
    package let nonce: String
    /// What the server wants back unchanged.
    package let opaque: String?
    /// The algorithm; MD5 where none is named.
    package let algorithm: DigestAlgorithm
    /// Whether the algorithm was named, so that it is named in the answer.
    package let namesAlgorithm: Bool
    /// Whether the quality of protection is `auth`; otherwise there is none (RFC 2069).
    package let hasQuality: Bool
    /// Whether only the nonce was too old, not the credentials wrong.
    package let isStale: Bool
    /// Whether the user name goes as its digest (RFC 7616 §3.4.4).
    package let wantsUserHash: Bool
    /// Whether the server has said that it reads UTF-8 (RFC 7616 §4).
    package let isUTF8: Bool

    /// The longest realm, nonce or opaque value that is taken: all of them go back with each request.
    package static let maxValueBytes = 4096

    /// Reads a challenge.
    ///
    /// `nil` when it is of another scheme, has no realm or nonce, or asks for what is not there: an unknown algorithm,
    /// `auth-int` alone, or a `-sess` algorithm without quality of protection, hence without a client's nonce.
    package init?(_ challenge: AuthenticationChallenge) {
        guard challenge.scheme == "digest", let realm = challenge[parameter: "realm"],
            let nonce = challenge[parameter: "nonce"]
        else { return nil }
        let opaque = challenge[parameter: "opaque"]
        let named = challenge[parameter: "algorithm"]
        guard [realm, nonce, opaque ?? ""].allSatisfy({ $0.utf8.count <= Self.maxValueBytes }),
            let algorithm = DigestAlgorithm(named ?? DigestAlgorithm.Hash.md5.name)
        else { return nil }
        if let quality = challenge[parameter: "qop"] {
            guard Self.words(quality).contains("auth") else { return nil }
            hasQuality = true
        } else {
            guard !algorithm.isSession else { return nil }
            hasQuality = false
        }
        self.realm = realm
        self.nonce = nonce
        self.opaque = opaque
        self.algorithm = algorithm
        namesAlgorithm = named != nil
        isStale = Self.isTrue(challenge[parameter: "stale"])
        wantsUserHash = Self.isTrue(challenge[parameter: "userhash"])
        isUTF8 = challenge[parameter: "charset"]?.lowercased() == "utf-8"
    }

    /// The challenges that can be answered, the one with the strongest algorithm first.
    ///
    /// Of equals the first offered comes first.
    package static func answerable(of challenges: [AuthenticationChallenge]) -> [DigestChallenge] {
        let offered = challenges.compactMap(DigestChallenge.init)
        return DigestAlgorithm.Hash.allCases.reversed().flatMap { hash in
            offered.filter { $0.algorithm.hash == hash }
        }
    }

    private static func words(_ list: String) -> [String] {
        list.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
    }

    private static func isTrue(_ value: String?) -> Bool {
        value?.lowercased() == "true"
    }
}
