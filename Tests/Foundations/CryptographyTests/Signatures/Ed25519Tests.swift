import ErrandCryptography
import Testing

@Suite("Ed25519")
struct Ed25519Tests {
    @Test("Signatures match RFC 8032 §7.1, TEST 1 and TEST 2")
    func published() throws {
        let signed: [(seed: String, message: [UInt8], signature: String)] = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", [],
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                    + "d25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", [0x72],
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                    + "387b2eaeb4302aeeb00d291612bb0c00"
            ),
        ]
        for (seed, message, signature) in signed {
            let made = try #require(Ed25519.sign(message, seed: [UInt8](hex: seed)))
            #expect(made == [UInt8](hex: signature))
            let publicKey = try #require(Ed25519.publicKey(ofSeed: [UInt8](hex: seed)))
            #expect(Ed25519.isValid(made, of: message, publicKey: publicKey))
            #expect(!Ed25519.isValid(made, of: message + [0], publicKey: publicKey))
        }
    }
}
