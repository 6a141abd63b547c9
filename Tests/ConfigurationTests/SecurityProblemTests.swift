import Testing

@testable import Configuration

/// A session with one line of settings, the fourth, and what is said about it.
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

@Suite("What is wrong with the security of a session")
struct SecurityProblemTests {
    private static let pin = SecuritySettingsTests.pin

    private static let place = "sessions.a.security"

    static let combinations: [SecurityRow] = [
        SecurityRow("pinning: public_key", "4:15: \(place).pins: without pins every certificate would be refused"),
        SecurityRow(
            "pinning: certificate, pins: []", "4:44: \(place).pins: without pins every certificate would be refused"),
        SecurityRow(
            "pinning: public_key, pins: ['\(pin)']", "4:25: \(place).pinning: pinning needs a base_url with https",
            baseURL: "http://a.test/"),
        SecurityRow(
            "pinning: certificate, pins: [chain.pem, first.der, '\(pin)']",
            "4:67: \(place).pins[2]: this is the hash of a key: pinning: certificate needs files of certificates"),
        SecurityRow("pins: ['\(pin)']", "4:22: \(place).pins: pins need pinning: public_key or certificate"),
        SecurityRow(
            "allow_invalid_certificates: true",
            "4:44: \(place).allow_invalid_certificates: "
                + "with validate_domain and without pinning every certificate would be refused"),
    ]

    static let files: [SecurityRow] = [
        SecurityRow(
            "pinning: public_key, pins: [missing.pem]",
            "4:44: \(place).pins[0]: cannot read the file: No such file or directory"),
        SecurityRow("pinning: public_key, pins: [empty.pem]", "4:44: \(place).pins[0]: The file is empty"),
        SecurityRow(
            "pinning: public_key, pins: ['sha256//AAAA', 'sha256//', 'SHA256//\(pin.dropFirst(8))']",
            "4:44: \(place).pins[0]: A pin of a key is sha256// and 32 bytes in Base64, 44 characters",
            "4:60: \(place).pins[1]: A pin of a key is sha256// and 32 bytes in Base64, 44 characters",
            "4:72: \(place).pins[2]: cannot read the file: No such file or directory"),
        SecurityRow(
            "pinning: public_key, pins: ['${SEVERAL_LINES}']",
            "4:44: \(place).pins[0]: expected a pin, or the path of a file, found several lines"),
        SecurityRow("ca_file: missing.pem", "4:25: \(place).ca_file: cannot read the file: No such file or directory"),
        SecurityRow("ca_file: first.key", "4:25: \(place).ca_file: The file holds no certificate"),
        SecurityRow("ca_file: large.pem", "4:25: \(place).ca_file: the file has more than 1048576 bytes"),
        SecurityRow(
            "ca_file: '${SEVERAL_LINES}'", "4:25: \(place).ca_file: expected the path of a file, found several lines"),
    ]

    static let clientCertificates: [SecurityRow] = [
        SecurityRow(
            "client_certificate: {key: first.key}", "4:36: \(place).client_certificate: certificate is required"),
        SecurityRow(
            "client_certificate: {certificate: first.pem, key: second.key}",
            "4:66: \(place).client_certificate.key: The private key is not that of the first certificate"),
        SecurityRow(
            "client_certificate: {certificate: text.pem, key: first.key}",
            "4:50: \(place).client_certificate.certificate: The file is not PEM, and is no certificate in DER"),
        SecurityRow(
            "client_certificate: {certificate: first.pem, key: locked.key}",
            "4:36: \(place).client_certificate.password: The private key is encrypted, and there is no password"),
        SecurityRow(
            "client_certificate: {certificate: first.pem, key: locked.key, password: WRONG}",
            "4:88: \(place).client_certificate.password: The password does not open the private key"),
        SecurityRow(
            "client_certificate: {certificate: first.p12, key: first.key, password: SECRET}",
            "4:66: \(place).client_certificate.key: A PKCS #12 file has a key of its own: there is no other one"),
        SecurityRow(
            "client_certificate: {certificate: first.pem, key: '${SEVERAL_LINES}'}",
            "4:66: \(place).client_certificate.key: expected the path of a file, found several lines"),
        SecurityRow(
            "client_certificate: first.p12", "4:36: \(place).client_certificate: expected a mapping, found text"),
    ]

    @Test("Each problem is told with its place and its setting", arguments: combinations + files + clientCertificates)
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
            "4:44: \(place).allow_invalid_certificates: every certificate is accepted, so that anybody on the way can "
                + "read and change everything"),
        SecurityRow(
            "allow_invalid_certificates: true, pinning: public_key, pins: ['\(pin)']",
            "4:44: \(place).allow_invalid_certificates: of a chain with a pinned key neither the host nor the dates are "
                + "checked"),
        SecurityRow(
            "allow_invalid_certificates: true, pinning: certificate, pins: [first.pem]",
            "4:44: \(place).allow_invalid_certificates: chains are accepted that lead to none of the roots, if they lead "
                + "to a pin"),
        SecurityRow("pinning: none, pins: ['\(pin)']", "4:25: \(place).pinning: the pins are not used"),
    ]

    @Test("What is allowed but risky is told", arguments: risky)
    func warnings(row: SecurityRow) async throws {
        let warnings = try await CertificateSamples.shared.warnings(row.yaml)
        #expect(warnings == row.messages)
    }
}
