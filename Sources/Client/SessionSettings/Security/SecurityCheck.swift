import ErrandSessionCore
import ErrandSettings
import ErrandTransfer
import ErrandYAML

/// Checks the settings of `security` against each other and against the rest of a session.
///
/// Meaningless combinations are refused, because users would take them for protection: pins that are not used, and a
/// policy that no certificate can satisfy (`TrustProblem`). Risky combinations that do have a meaning cause a warning at
/// every start.
struct SecurityCheck {
    /// The session.
    let session: SessionConfiguration
    /// The node of the session.
    let node: YAMLNode
    /// True if the session may inherit pins without having a base URL.
    let mayInheritPins: Bool

    private var trust: TrustPolicy { session.connection.tls.trust }
    private var problems: [TrustProblem] { session.trustProblems }

    /// Reports problems and warnings.
    func run(_ reader: inout SettingReader) {
        guard reader.isReadable("security") else { return }
        checkPins(&reader)
        checkInvalidCertificates(&reader)
        if session.connection.tls.clientCertificate != nil, session.baseURL == nil, reader.isSound("base_url"),
            reader.isSound("security", "client_certificate")
        {
            reader.report(
                "a client certificate requires base_url, because it is sent to that origin only",
                at: "security", "client_certificate", in: node)
        }
    }

    private func checkPins(_ reader: inout SettingReader) {
        guard reader.isSound("security", "pinning"), reader.isSound("security", "pins") else { return }
        guard trust.pinning != .none else {
            return checkUnusedPins(&reader)
        }
        checkPinnedOrigin(&reader)
        if problems.contains(.noPins) {
            reader.report("expected at least one pin, found none", at: "security", "pins", in: node)
        }
        guard problems.contains(.keyAmongCertificates) else { return }
        for (index, item) in trust.pins.items.enumerated() where item.contains(where: \.content.isKey) {
            reader.report(
                "expected a certificate file for pinning: certificate, found the hash of a key",
                at: [.key("security"), .key("pins"), .index(index)], in: node)
        }
    }

    /// Checks that a session with pins has a base URL, because pins of one server would refuse every other host.
    ///
    /// A built-in session, which sends to any host, inherits the pins of `session_defaults`.
    private func checkPinnedOrigin(_ reader: inout SettingReader) {
        guard reader.isSound("base_url") else { return }
        if problems.contains(.pinningWithoutBaseURL), !mayInheritPins {
            reader.report(
                "pinning requires base_url, because pins belong to one server; set base_url, or pinning: none",
                at: "security", "pinning", in: node)
        }
        if problems.contains(.pinningWithoutTLS) {
            reader.report("pinning requires a base_url with https", at: "security", "pinning", in: node)
        }
    }

    /// Reports pins without pinning.
    ///
    /// If the session itself sets `pinning: none`, it intentionally disables inherited pins. The result is then a
    /// warning.
    private func checkUnusedPins(_ reader: inout SettingReader) {
        guard !trust.pins.isEmpty else { return }
        if node[YAMLPath(keys: ["security", "pinning"])] == nil {
            reader.report(
                "pins without effect; set pinning to public_key or certificate", at: "security", "pins", in: node)
        } else {
            reader.warn("the pins have no effect because pinning is none", at: "security", "pinning", in: node)
        }
    }

    private func checkInvalidCertificates(_ reader: inout SettingReader) {
        guard reader.isSound("security", "allow_invalid_certificates"), reader.isSound("security", "pinning"),
            reader.isSound("security", "validate_domain")
        else { return }
        guard trust.allowsInvalidCertificates else {
            if !trust.validatesDomain {
                reader.warn("certificates of any host are accepted", at: "security", "validate_domain", in: node)
            }
            return
        }
        if problems.contains(.noIdentity) {
            reader.report(
                "every certificate would be refused; set pinning, or validate_domain: false",
                at: "security", "allow_invalid_certificates", in: node)
            return
        }
        let message =
            switch trust.pinning {
            case .none: "every certificate is accepted, so that an attacker on the network can read and change all data"
            case .publicKey: "the host and the dates of a chain with a pinned key are not checked"
            case .certificate: "chains without a trusted root are accepted if they lead to a pin"
            }
        reader.warn(message, at: "security", "allow_invalid_certificates", in: node)
    }
}
