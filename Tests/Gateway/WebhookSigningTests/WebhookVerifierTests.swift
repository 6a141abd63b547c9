import Testing

@testable import ErrandWebhookSigning

@Suite("Verifying webhooks")
struct WebhookVerifierTests {
    private let message = WebhookSignerTests.message

    private func verify(
        _ secrets: [String] = [WebhookSecretTests.symmetric], id: String? = nil, timestamp: String = "1614265330",
        signatures: String = WebhookSignerTests.signature, body: [UInt8]? = nil, at now: Int64 = 1_614_265_330,
        tolerance: Int64? = WebhookVerifier.toleranceSeconds
    ) throws {
        try WebhookVerifier(secrets.map { try WebhookSecret($0) }, toleranceSeconds: tolerance).verify(
            id: id ?? message.id, timestamp: timestamp, signatures: signatures, body: body ?? message.body, at: now)
    }

    @Test("The published message is valid")
    func valid() throws {
        try verify()
    }

    @Test("One matching signature by one of several secrets is enough")
    func several() throws {
        let other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
        try verify(
            [other, WebhookSecretTests.symmetric], signatures: "v1,AAAA v2,x \(WebhookSignerTests.signature) v1a,")
    }

    @Test("A message signed by a private key is verified by either half of it, not by another or a symmetric secret")
    func ed25519() throws {
        let signatures = try WebhookSigner([try WebhookSecret(WebhookSecretTests.seed)]).sign(message)
        try verify([WebhookSecretTests.publicKey], signatures: signatures)
        try verify([WebhookSecretTests.pair], signatures: signatures)
        let other = "whpk_PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="
        #expect(throws: WebhookVerificationError.mismatch) { try verify([other], signatures: signatures) }
        #expect(throws: WebhookVerificationError.mismatch) { try verify(signatures: signatures) }
    }

    @Test("Another identifier, time or content is a mismatch")
    func changed() {
        #expect(throws: WebhookVerificationError.mismatch) { try verify(id: "msg_other") }
        #expect(throws: WebhookVerificationError.mismatch) { try verify(timestamp: "1614265331") }
        #expect(throws: WebhookVerificationError.mismatch) { try verify(timestamp: "01614265330") }
        #expect(throws: WebhookVerificationError.mismatch) { try verify(body: message.body + [0x0A]) }
        #expect(throws: WebhookVerificationError.mismatch) { try verify(signatures: "v1,AAAA") }
        #expect(throws: WebhookVerificationError.mismatch) { try verify([]) }
    }

    @Test("Five minutes before and after are tolerated, a second more is not")
    func age() throws {
        try verify(at: 1_614_265_630)
        try verify(at: 1_614_265_030)
        #expect(throws: WebhookVerificationError.tooOld(bySeconds: 1)) { try verify(at: 1_614_265_631) }
        #expect(throws: WebhookVerificationError.tooNew(bySeconds: 1)) { try verify(at: 1_614_265_029) }
        try verify(at: 2_000_000_000, tolerance: nil)
    }

    @Test(
        "Missing and malformed fields are reported",
        arguments: [
            ("", "1614265330", "v1,AAAA", WebhookVerificationError.missing("webhook-id")),
            ("a", "", "v1,AAAA", .missing("webhook-timestamp")),
            ("a", "1614265330", "", .missing("webhook-signature")),
            ("a", "yesterday", "v1,AAAA", .malformedTimestamp),
            ("a", "+1614265330", "v1,AAAA", .malformedTimestamp),
            ("a", "-9223372036854775808", "v1,AAAA", .malformedTimestamp),
            ("a", "99999999999999999999", "v1,AAAA", .malformedTimestamp),
            ("a", "1614265330", "AAAA", .noKnownSignature),
            ("a", "1614265330", "v2,AAAA", .noKnownSignature),
            ("a", "1614265330", "v1,?", .noKnownSignature),
        ])
    func malformed(_ id: String, _ timestamp: String, _ signatures: String, _ error: WebhookVerificationError) {
        #expect(throws: error) { try verify(id: id, timestamp: timestamp, signatures: signatures) }
    }
}
