package import WebhookSigning

/// How the ends of tasks are told to whoever wants to know: section `callbacks`.
package struct CallbackConfiguration: Sendable, Hashable {
    /// What messages are signed with, each making a signature: several while receivers exchange theirs.
    ///
    /// They can sign: none is a public key.
    package var secrets: [WebhookSecret] = []
    /// Whether callbacks are made without a signature when there are no secrets.
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
                What the messages of callbacks are signed with (Standard Webhooks): `whsec_` and 24 to 64 bytes in Base64, \
                which receivers have too, or `whsk_` and an Ed25519 private key, of which receivers have the public one. \
                Each makes a signature, so that a new one is added first and the former one is removed when all receivers \
                have the new one. `echo "whsec_$(openssl rand -base64 32)"` makes one.
                """),
            Setting(
                "unsigned", \.allowsUnsigned, .boolean,
                """
                Whether callbacks are made without a signature when there are no secrets: receivers cannot tell then who \
                has sent them. Otherwise tasks with a callback are refused.
                """),
        ])
}

extension SettingType where Value == WebhookSecret {
    /// A secret that can sign.
    fileprivate static var webhookSecret: SettingType {
        .scalar(
            ScalarShape(
                label: "secret: whsec_ or whsk_ and Base64", expectation: "whsec_ or whsk_ and Base64", isSecret: true),
            parse: { text throws(ScalarRefusal) in
                let secret: WebhookSecret
                do throws(WebhookSecretError) {
                    secret = try WebhookSecret(text)
                } catch {
                    throw .because("\(error)")
                }
                guard secret.canSign else {
                    throw .because("whpk_ is a public key, for receivers: expected the private one, whsk_")
                }
                return secret
            },
            format: { _ in .redacted })
    }
}
