import Testing

@testable import ErrandWebhookSigning

@Suite("Secrets of webhooks")
struct WebhookSecretTests {
    /// The secret of the specification's example.
    static let symmetric = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    /// RFC 8032 §7.1, TEST 1: the seed, and seed and public key.
    static let seed = "whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
    static let pair = "whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg=="
    static let publicKey = "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

    @Test(
        "A secret of 24 bytes, private keys in both forms and a public key are parsed",
        arguments: [
            (symmetric, true), (seed, true), (pair, true), (publicKey, false),
        ])
    func read(_ text: String, canSign: Bool) throws {
        let secret = try WebhookSecret(text)
        #expect(secret.canSign == canSign)
    }

    @Test("Both forms of a private key are the same secret")
    func forms() throws {
        let (seed, pair) = (try WebhookSecret(Self.seed), try WebhookSecret(Self.pair))
        #expect(seed == pair)
    }

    @Test(
        "An invalid secret is refused with the reason",
        arguments: [
            ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", WebhookSecretError.unknownPrefix),
            ("", .unknownPrefix),
            ("WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", .unknownPrefix),
            ("whsec_", .wrongSize(found: 0, expected: "24 to 64")),
            ("whsec_AAAA", .wrongSize(found: 3, expected: "24 to 64")),
            ("whsec_\(String(repeating: "AAAA", count: 22))", .wrongSize(found: 66, expected: "24 to 64")),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-w", .notBase64),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", .notBase64),
            ("whsec_MfKQ9r8GKYqrTwjU PD8ILPZIo2LaLaSw", .notBase64),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", .notBase64),
            ("whsk_AAAA", .wrongSize(found: 3, expected: "32 or 64")),
            ("whpk_AAAA", .wrongSize(found: 3, expected: "32")),
            ("whsk_\(String(repeating: "A", count: 86))==", .keysDoNotMatch),
        ])
    func refused(_ text: String, _ error: WebhookSecretError) {
        #expect(throws: error) { try WebhookSecret(text) }
        #expect(text.count < 8 || !"\(error)".contains(text.dropFirst(6)))
    }

    @Test("No description or reflection shows a secret")
    func shown() throws {
        for text in [Self.symmetric, Self.seed, Self.publicKey] {
            let secret = try WebhookSecret(text)
            var dumped = ""
            dump(secret, to: &dumped)
            for shown in ["\(secret)", String(reflecting: secret), dumped, "\([secret])"] {
                #expect(!shown.contains(text.dropFirst(6)))
                // Bytes as numbers would reveal it too.
                let holdsNumbers = shown.contains { $0.isNumber }
                #expect(!holdsNumbers)
            }
        }
    }
}
