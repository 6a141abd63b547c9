import SessionCore
import Transfer
import YAML

/// What the settings of `security` have to do with each other, and with the rest of a session.
///
/// What is combined without a meaning is refused, as it would be taken for a protection: pins that nothing asks for, and
/// a policy that no certificate can pass. What is risky, but has a meaning, is a warning at every start.
struct SecurityCheck {
    /// The session.
    let session: SessionConfiguration
    /// The node of the session.
    let node: YAMLNode

    private var trust: TrustPolicy { session.connection.tls.trust }

    /// Reports and warns.
    func run(_ reader: inout SettingReader) {
        guard reader.isSound("security") else { return }
        checkPins(&reader)
        checkInvalidCertificates(&reader)
        if session.connection.tls.clientCertificate != nil, session.baseURL == nil, reader.isSound("base_url") {
            reader.report(
                "a client certificate needs a base_url: it is shown to its origin only",
                at: "security", "client_certificate", in: node)
        }
    }

    private func checkPins(_ reader: inout SettingReader) {
        guard trust.pinning != .none else {
            return checkUnusedPins(&reader)
        }
        if let scheme = session.baseURL?.scheme, scheme != .https, reader.isSound("base_url") {
            reader.report("pinning needs a base_url with https", at: "security", "pinning", in: node)
        }
        if trust.pins.isEmpty {
            reader.report("without pins every certificate would be refused", at: "security", "pins", in: node)
        }
        guard trust.pinning == .certificate else { return }
        for (index, item) in trust.pins.items.enumerated() where item.contains(where: \.isKey) {
            reader.report(
                "this is the hash of a key: pinning: certificate needs files of certificates",
                at: [.key("security"), .key("pins"), .index(index)], in: node)
        }
    }

    /// Pins without pinning are a mistake, unless the session itself says that there is none: so it turns off what it
    /// inherits.
    private func checkUnusedPins(_ reader: inout SettingReader) {
        guard !trust.pins.isEmpty else { return }
        if node[YAMLPath(keys: ["security", "pinning"])] == nil {
            reader.report("pins need pinning: public_key or certificate", at: "security", "pins", in: node)
        } else {
            reader.warn("the pins are not used", at: "security", "pinning", in: node)
        }
    }

    private func checkInvalidCertificates(_ reader: inout SettingReader) {
        guard trust.allowsInvalidCertificates else {
            if !trust.validatesDomain {
                reader.warn("certificates of any host are accepted", at: "security", "validate_domain", in: node)
            }
            return
        }
        if trust.pinning == .none, trust.validatesDomain {
            reader.report(
                "with validate_domain and without pinning every certificate would be refused",
                at: "security", "allow_invalid_certificates", in: node)
            return
        }
        let message =
            switch trust.pinning {
            case .none: "every certificate is accepted, so that anybody on the way can read and change everything"
            case .publicKey: "of a chain with a pinned key neither the host nor the dates are checked"
            case .certificate: "chains are accepted that lead to none of the roots, if they lead to a pin"
            }
        reader.warn(message, at: "security", "allow_invalid_certificates", in: node)
    }
}

extension CertificatePin {
    /// Whether it is the hash of a key.
    fileprivate var isKey: Bool {
        if case .publicKey = content { true } else { false }
    }
}
