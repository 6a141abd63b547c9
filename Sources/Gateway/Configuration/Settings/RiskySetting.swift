import ErrandEgress
import ErrandSessionCore
import ErrandSettings
import ErrandTransfer

/// A setting in force that gives up a protection, with its remedy.
package struct RiskySetting: Sendable, Hashable, CustomStringConvertible {
    /// The path of the setting, such as `store.durability`.
    package let path: String
    /// The change that restores the protection.
    package let remedy: String

    /// The path and the remedy.
    package var description: String { "\(path): \(remedy)" }
}

extension GatewayConfiguration {
    /// The settings in force that give up a protection, in the order of the sections.
    ///
    /// A setting that a session inherits is listed for that session.
    package var riskySettings: [RiskySetting] {
        var risky: [RiskySetting] = []
        if auth.tokens.isEmpty, server.listen.contains(where: { !$0.isLocal }) {
            risky.append(
                RiskySetting(
                    path: "auth.allow_anonymous",
                    remedy: "add auth.tokens, or listen only on loopback addresses and Unix sockets"))
        }
        if store.durability != .full {
            risky.append(
                RiskySetting(path: "store.durability", remedy: "set it to full, so that tasks survive power loss"))
        }
        if callbacks.secrets.isEmpty, callbacks.allowsUnsigned {
            risky.append(
                RiskySetting(
                    path: "callbacks.unsigned",
                    remedy: "add callbacks.secrets, and set it to false, so that receivers can verify the sender"))
        }
        for session in sessions { risky += session.riskySettings }
        return risky
    }
}

extension SessionConfiguration {
    fileprivate var riskySettings: [RiskySetting] {
        var risky: [RiskySetting] = []
        let trust = connection.tls.trust
        if trust.allowsInvalidCertificates {
            let remedy =
                trust.pinning == .none
                ? "set it to false, and trust the server's certificates with ca_file"
                : "set it to false, so that a chain needs a pin and has to be valid"
            risky.append(
                RiskySetting(path: "sessions.\(name).security.allow_invalid_certificates", remedy: remedy))
        } else if !trust.validatesDomain {
            risky.append(
                RiskySetting(
                    path: "sessions.\(name).security.validate_domain",
                    remedy: "set it to true, and call the server by a name of its certificate"))
        }
        if egress.privateNetworks == .allow {
            risky.append(
                RiskySetting(
                    path: "sessions.\(name).egress.private_networks",
                    remedy: "set it to base_only, and list the addresses that tasks need in egress.allow"))
        }
        if egress.allow.contains(where: { $0.prefixLength == 0 }) {
            risky.append(
                RiskySetting(
                    path: "sessions.\(name).egress.allow",
                    remedy: "replace the network of all addresses by those that tasks need"))
        }
        return risky
    }
}
