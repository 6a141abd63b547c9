import CErrandGnuTLS
import Testing

@testable import MicroHTTPServer

@Suite("ClientVerification")
struct ClientVerificationTests {
    @Test("a subject is reported unchanged, with its control characters escaped")
    func subjects() {
        #expect(ClientVerification.subject(Array("CN=a,O=ä".utf8)) == "CN=a,O=ä")
        #expect(ClientVerification.subject(Array("CN=a\n\u{7F}b".utf8)) == "CN=a\\0A\\7Fb")
        #expect(ClientVerification.subject([UInt8](repeating: 65, count: 1024))?.utf8.count == 1024)
    }

    @Test("a subject that is empty, too long or not UTF-8 is rejected")
    func noSubjects() {
        #expect(ClientVerification.subject([]) == nil)
        #expect(ClientVerification.subject([UInt8](repeating: 65, count: 1025)) == nil)
        #expect(ClientVerification.subject([0xC0, 0xAF]) == nil)
    }

    @Test("each fault has a reason, and an unknown authority takes precedence")
    func reasons() {
        func reason(_ flags: gnutls_certificate_status_t...) -> ClientVerification.Reason {
            .init(status: flags.reduce(GNUTLS_CERT_INVALID.rawValue) { $0 | $1.rawValue })
        }
        #expect(reason(GNUTLS_CERT_SIGNER_NOT_FOUND) == .untrusted)
        #expect(reason(GNUTLS_CERT_SIGNER_NOT_FOUND, GNUTLS_CERT_EXPIRED) == .untrusted)
        #expect(reason(GNUTLS_CERT_SIGNATURE_FAILURE) == .untrusted)
        #expect(reason(GNUTLS_CERT_EXPIRED) == .expired)
        #expect(reason(GNUTLS_CERT_NOT_ACTIVATED) == .notYetValid)
        #expect(reason(GNUTLS_CERT_REVOKED) == .revoked)
        #expect(reason(GNUTLS_CERT_PURPOSE_MISMATCH) == .wrongPurpose)
        #expect(reason(GNUTLS_CERT_INSECURE_ALGORITHM) == .unusable)
        #expect(reason() == .unusable)
    }
}
