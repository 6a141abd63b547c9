import ErrandCryptography
import ErrandText
import Testing

@Suite("IncrementalDigest")
struct IncrementalDigestTests {
    /// The digests of "abc" and of a million letters "a" (FIPS 180-4 and RFC 1321; the long one of MD5 by md5sum).
    static let examples: [(HashFunction, String, String)] = [
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        ),
        (
            .sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d", "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        (.md5, "900150983cd24fb0d6963f7d28e17f72", "7707d6ae4e027c70eea2a935c2296f21"),
    ]

    @Test("The published examples have the expected digests, in one piece and in many", arguments: examples)
    func published(function: HashFunction, abc: String, letters: String) {
        for size in [1000, 99_999, 1_000_000] {
            guard var digest = IncrementalDigest(function) else {
                Issue.record("The function is not available")
                return
            }
            var rest = 1_000_000
            while rest > 0 {
                digest.update([UInt8](repeating: UInt8(ascii: "a"), count: min(size, rest)))
                rest -= min(size, rest)
            }
            #expect(Hexadecimal.encode(digest.finish()) == letters)
        }
        guard var digest = IncrementalDigest(function) else {
            Issue.record("The function is not available")
            return
        }
        digest.update(Array("abc".utf8))
        let bytes = digest.finish()
        #expect(Hexadecimal.encode(bytes) == abc)
        #expect(bytes.count == function.byteCount)
    }

    @Test("Each function has examples")
    func complete() {
        #expect(Set(Self.examples.map(\.0)) == Set(HashFunction.allCases))
    }
}
