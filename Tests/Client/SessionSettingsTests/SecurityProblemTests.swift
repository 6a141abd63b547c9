import ErrandSupport
import Testing

@testable import ErrandSessionSettings

/// A session with one line of settings, the fourth, and the expected problems.
struct SecurityRow: Sendable, CustomTestStringConvertible {
    var line: String
    var messages: [String]
    var baseURL = "https://a.test/"

    init(_ line: String, _ messages: String..., baseURL: String = "https://a.test/") {
        (self.line, self.messages, self.baseURL) = (line, messages, baseURL)
    }

    var yaml: String { "sessions:\n  a:\n    base_url: \(baseURL)\n    security: {\(line)}\n" }
    var testDescription: String { line }
}

@Suite("Problems of a session's security")
struct SecurityProblemTests {
    private static let pin = SecuritySettingsTests.pin

    private static let place = "sessions.a.security"

    private static let missing =
        "No such file or directory; check the path, which begins at the working directory"

    @Test("Inherited pinning needs a base URL too")
    func pinningWithoutBaseURL() {
        let pins = "pinning: public_key, pins: ['\(Self.pin)']"
        let message = "pinning requires base_url, because pins belong to one server; set base_url, or pinning: none"
        ProblemRow(
            "sessions:\n  a:\n    url_scope: any\n    security: {\(pins)}\n",
            "4:25: sessions.a.security.pinning: \(message)"
        ).check()
        ProblemRow(
            "session_defaults: {url_scope: any, security: {\(pins)}}\nsessions:\n  a: {}\n",
            "3:6: sessions.a.security.pinning: \(message)"
        ).check()
        ProblemRow(
            "session_defaults: {security: {\(pins)}}\nsessions:\n  a: {url_scope: any, security: {pinning: none}}\n"
        ).check()
    }

    @Test("A problem in one security setting does not hide problems in others")
    func severalAtOnce() {
        let line = "pinning: public_key, pins: ['\(Self.pin)'], min_tls: '9'"
        let problems = Sample.problems("sessions:\n  a:\n    base_url: http://a.test/\n    security: {\(line)}\n")
        #expect(problems.count == 2)
        #expect(problems.first?.hasPrefix("config.yaml:4:25: \(Self.place).pinning:") == true)
    }

    static let combinations: [SecurityRow] = [
        SecurityRow("pinning: public_key", "4:15: \(place).pins: expected at least one pin, found none"),
        SecurityRow(
            "pinning: certificate, pins: []", "4:44: \(place).pins: expected at least one pin, found none"),
        SecurityRow(
            "pinning: public_key, pins: ['\(pin)']", "4:25: \(place).pinning: pinning requires a base_url with https",
            baseURL: "http://a.test/"),
        SecurityRow(
            "pinning: certificate, pins: [chain.pem, first.der, '\(pin)']",
            "4:67: \(place).pins[2]: expected a certificate file for pinning: certificate, found the hash of a key"),
        SecurityRow(
            "pins: ['\(pin)']", "4:22: \(place).pins: pins without effect; set pinning to public_key or certificate"),
        SecurityRow(
            "allow_invalid_certificates: true",
            "4:44: \(place).allow_invalid_certificates: "
                + "every certificate would be refused; set pinning, or validate_domain: false"),
    ]

    static let files: [SecurityRow] = [
        SecurityRow(
            "pinning: public_key, pins: [missing.pem]",
            "4:44: \(place).pins[0]: cannot read the file: \(missing)"),
        SecurityRow("pinning: public_key, pins: [empty.pem]", "4:44: \(place).pins[0]: The file is empty"),
        SecurityRow(
            "pinning: public_key, pins: ['sha256//AAAA', 'sha256//', 'SHA256//\(pin.dropFirst(8))']",
            "4:44: \(place).pins[0]: A key pin must be sha256// and 32 bytes in Base64 (44 characters)",
            "4:60: \(place).pins[1]: A key pin must be sha256// and 32 bytes in Base64 (44 characters)",
            "4:72: \(place).pins[2]: expected a pin, or the path of a file; "
                + "write the hash of a key as sha256//, with two slashes, and 32 bytes in Base64"),
        SecurityRow(
            "pinning: public_key, pins: ['${SEVERAL_LINES}']",
            "4:44: \(place).pins[0]: expected a pin, or the path of a file, found several lines"),
        SecurityRow("ca_file: missing.pem", "4:25: \(place).ca_file: cannot read the file: \(missing)"),
        SecurityRow("ca_file: first.key", "4:25: \(place).ca_file: The file contains no certificate"),
        SecurityRow("ca_file: large.pem", "4:25: \(place).ca_file: the file has more than 1048576 bytes"),
        SecurityRow(
            "ca_file: '${SEVERAL_LINES}'", "4:25: \(place).ca_file: expected the path of a file, found several lines"),
    ]

    static let clientCertificates: [SecurityRow] = [
        SecurityRow(
            "client_certificate: {key: first.key}", "4:36: \(place).client_certificate: certificate is required"),
        SecurityRow(
            "client_certificate: {certificate: first.pem, key: second.key}",
            "4:66: \(place).client_certificate.key: The private key does not belong to the first certificate"),
        SecurityRow(
            "client_certificate: {certificate: text.pem, key: first.key}",
            "4:50: \(place).client_certificate.certificate: The file is not PEM and is not a certificate in DER"),
        SecurityRow(
            "client_certificate: {certificate: first.pem, key: locked.key}",
            "4:36: \(place).client_certificate.password: The private key is encrypted and no password is given"),
        SecurityRow(
            "client_certificate: {certificate: first.pem, key: locked.key, password: WRONG}",
            "4:88: \(place).client_certificate.password: The password of the private key is wrong"),
        SecurityRow(
            "client_certificate: {certificate: first.p12, key: first.key, password: SECRET}",
            "4:66: \(place).client_certificate.key: A PKCS #12 file contains its own key; remove the separate key"),
        SecurityRow(
            "client_certificate: {certificate: first.pem, key: '${SEVERAL_LINES}'}",
            "4:66: \(place).client_certificate.key: expected the path of a file, found several lines"),
        SecurityRow(
            "client_certificate: first.p12", "4:36: \(place).client_certificate: expected a mapping, found text"),
    ]

    @Test("Problems are reported with location and setting", arguments: combinations + files + clientCertificates)
    func problems(row: SecurityRow) async throws {
        let problems = try await CertificateSamples.shared.problems(row.yaml)
        #expect(problems == row.messages)
    }

    static let risky: [SecurityRow] = [
        SecurityRow("min_tls: 1.2"),
        SecurityRow("pinning: public_key, pins: [first.pem]"),
        SecurityRow("validate_domain: false", "4:33: \(place).validate_domain: certificates of any host are accepted"),
        SecurityRow(
            "allow_invalid_certificates: true, validate_domain: false",
            "4:44: \(place).allow_invalid_certificates: every certificate is accepted, so that an attacker on "
                + "the network can read and change all data"),
        SecurityRow(
            "allow_invalid_certificates: true, pinning: public_key, pins: ['\(pin)']",
            "4:44: \(place).allow_invalid_certificates: the host and the dates of a chain with "
                + "a pinned key are not checked"),
        SecurityRow(
            "allow_invalid_certificates: true, pinning: certificate, pins: [first.pem]",
            "4:44: \(place).allow_invalid_certificates: chains without a trusted root are "
                + "accepted if they lead to a pin"),
        SecurityRow(
            "pinning: none, pins: ['\(pin)']",
            "4:25: \(place).pinning: the pins have no effect because pinning is none"),
    ]

    @Test("Risky settings cause warnings", arguments: risky)
    func warnings(row: SecurityRow) async throws {
        let warnings = try await CertificateSamples.shared.warnings(row.yaml)
        #expect(warnings == row.messages)
    }
}
