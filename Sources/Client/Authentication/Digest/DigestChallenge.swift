/// A supported challenge of the Digest scheme (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// The protection space that the credentials are for.
    package let realm: String
    /// The server's nonce.
    package let nonce: String
    /// A value that the server wants returned unchanged.
    package let opaque: String?
    /// The algorithm; MD5 if the challenge names none.
    package let algorithm: DigestAlgorithm
    /// A Boolean value that indicates whether the challenge names the algorithm, so that the response names it too.
    package let namesAlgorithm: Bool
    /// A Boolean value that indicates whether the quality of protection is `auth`; otherwise there is none (RFC 2069).
    package let hasQuality: Bool
    /// A Boolean value that indicates whether the nonce was stale rather than the credentials wrong.
    package let isStale: Bool
    /// A Boolean value that indicates whether the user name is sent as a digest (RFC 7616 §3.4.4).
    package let wantsUserHash: Bool
    /// A Boolean value that indicates whether the server has announced UTF-8 (RFC 7616 §4).
    package let isUTF8: Bool

    /// The most bytes of a realm, nonce or opaque value, which are returned with each request.
    package static let maxValueBytes = 4096

    /// Parses a challenge.
    ///
    /// Returns `nil` if it is of another scheme, has no realm or nonce, or is not supported: an unknown algorithm,
    /// `auth-int` alone, or a `-sess` algorithm without quality of protection and hence without a client nonce.
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

    /// Returns the supported challenges, the one with the strongest algorithm first.
    ///
    /// Equally strong challenges keep their order.
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
