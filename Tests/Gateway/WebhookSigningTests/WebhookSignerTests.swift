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
}
