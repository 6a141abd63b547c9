public import HTTPTypes

/// Header fields as they are shown: those that carry secrets without their values.
public enum HeaderRedaction {
    /// What stands in the place of a secret.
    public static let placeholder = "[redacted]"

    /// Whether the values of this header field are secrets.
    public static func isSecret(_ name: HTTPField.Name) -> Bool {
        switch name {
        case .authorization, .proxyAuthorization, .cookie, .setCookie: true
        default: false
        }
    }

    /// Whether a header field that somebody puts into requests carries a secret, as far as its name tells.
    ///
    /// Besides those that ``isSecret(_:)`` knows: what the names of API keys, tokens, passwords and the like have in
    /// them. A harmless value that is hidden does less harm than a key that is shown.
    public static func looksSecret(_ name: HTTPField.Name) -> Bool {
        switch name {
        case .accept, .userAgent, .contentType, .acceptLanguage: false
        case _ where name.canonicalName == "idempotency-key": false
        case _ where isSecret(name): true
        default: telltales.contains { name.canonicalName.contains($0) }
        }
    }

    private static let telltales = [
        "auth", "credential", "key", "passw", "secret", "session", "signature", "token",
    ]

    /// The fields, in their order, with ``placeholder`` for the values of secret ones.
    ///
    /// - Parameters:
    ///   - fields: The fields to show.
    ///   - others: Further names of secret ones.
    public static func redacting(_ fields: HTTPFields, and others: Set<HTTPField.Name> = []) -> HTTPFields {
        let isHidden = { (name: HTTPField.Name) in isSecret(name) || others.contains(name) }
        guard fields.contains(where: { isHidden($0.name) }) else { return fields }
        var shown = HTTPFields()
        for field in fields {
            shown.append(isHidden(field.name) ? HTTPField(name: field.name, value: placeholder) : field)
        }
        return shown
    }
}
