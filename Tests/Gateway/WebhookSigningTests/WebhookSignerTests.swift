import Testing

@testable import ErrandWebhookSigning

@Suite("Signing webhooks")
struct WebhookSignerTests {
    /// The example of the specification, as tested by the libraries of Standard Webhooks.
    static let message = WebhookMessage(
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8))
    static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    @Test("The published message gets the published signature")
    func published() throws {
        let signer = WebhookSigner([try WebhookSecret(WebhookSecretTests.symmetric)])
        let signature = try signer.sign(Self.message)
        #expect(signature == Self.signature)
    }

    @Test("Ed25519 signatures match RFC 8032 §7.1, TEST 1 and TEST 2")
    func ed25519() throws {
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
            let made = try #require(Ed25519.sign(message, seed: bytes(seed)))
            #expect(made == bytes(signature))
            let publicKey = try #require(Ed25519.publicKey(ofSeed: bytes(seed)))
            #expect(Ed25519.isValid(made, of: message, publicKey: publicKey))
            #expect(!Ed25519.isValid(made, of: message + [0], publicKey: publicKey))
        }
    }

    @Test("Each secret adds a signature, in order; a public key adds none")
    func several() throws {
        let texts = [WebhookSecretTests.symmetric, WebhookSecretTests.publicKey, WebhookSecretTests.seed]
        let value = try WebhookSigner(texts.map { try WebhookSecret($0) }).sign(Self.message)
        let parts = value.split(separator: " ")
        #expect(parts.count == 2)
        #expect(parts.first.map(String.init) == Self.signature)
        #expect(parts.last?.hasPrefix("v1a,") == true)
    }

    @Test("Without a secret there is no signature")
    func none() throws {
        let signature = try WebhookSigner([]).sign(Self.message)
        #expect(signature.isEmpty)
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        var digits = hexadecimal[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }
}
