import ErrandSettings
package import ErrandWebhookSigning

/// Callbacks that notify receivers when tasks end: section `callbacks`.
package struct CallbackConfiguration: Sendable, Hashable {
    /// The secrets that sign messages.
    ///
    /// Each adds one signature, so that receivers can rotate secrets.
    ///
    /// All of them can sign: none is a public key.
    package var secrets: [WebhookSecret] = []
    /// True if callbacks are sent without a signature when there are no secrets.
    package var allowsUnsigned = false

    /// Creates the defaults.
    package init() {}
}

extension CallbackConfiguration {
    static let settings = SettingGroup(
        CallbackConfiguration(),
        [
            Setting(
                "secrets", \.secrets, .list(of: .webhookSecret),
                """
                The secrets that sign the messages of callbacks (Standard Webhooks): `whsec_` and 24 to 64 bytes in \
                Base64, which receivers need too, or `whsk_` and an Ed25519 private key, whose public key receivers \
                need. Each secret adds a signature: to rotate secrets, add the new one first, and remove the former \
                one when all receivers have the new one. `echo "whsec_$(openssl rand -base64 32)"` creates a secret.
                """),
            Setting(
                "unsigned", \.allowsUnsigned, .boolean,
                """
                If true, callbacks are sent without a signature when there are no secrets; receivers then cannot \
                verify the sender. If false, tasks with a callback are refused in that case.
                """),
        ])
}

extension SettingType where Value == WebhookSecret {
    /// The type of a secret that can sign.
    fileprivate static var webhookSecret: SettingType {
        .scalar(
            ScalarShape(
                label: "secret: whsec_ or whsk_ and Base64", expectation: "whsec_ or whsk_ and Base64", isSecret: true),
            parse: { text throws(ScalarRefusal) in
                let secret: WebhookSecret
                do throws(WebhookSecretError) {
                    secret = try WebhookSecret(text)
                } catch {
                    // A public key (whpk_) cannot sign.
                    throw .because(error == .unknownPrefix ? "expected whsec_ or whsk_, then Base64" : "\(error)")
                }
                guard secret.canSign else {
                    throw .because("expected a private key (whsk_), found a public key (whpk_) for receivers")
                }
                return secret
            },
            format: { _ in .redacted })
    }
}
