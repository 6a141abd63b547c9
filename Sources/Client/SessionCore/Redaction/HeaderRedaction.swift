package import HTTPTypes

/// Redaction of header fields: the values of those that carry secrets are hidden.
package enum HeaderRedaction {
    /// The replacement for a secret.
    package static let placeholder = "[redacted]"

    /// Returns true if the values of this header field are secrets.
    package static func isSecret(_ name: HTTPField.Name) -> Bool {
        switch name {
        case .authorization, .proxyAuthorization, .cookie, .setCookie: true
        default: false
        }
    }

    /// Returns true if a header field of a request carries a secret, as far as its name tells.
    ///
    /// Besides the names that ``isSecret(_:)`` knows, these are names with parts that are typical of API keys, tokens,
    /// passwords and the like. Hiding a harmless value does less harm than showing a key.
    package static func looksSecret(_ name: HTTPField.Name) -> Bool {
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

    /// Returns the fields, in their order, with ``placeholder`` for secret values.
    ///
    /// - Parameters:
    ///   - fields: The fields to show.
    ///   - others: Further names of fields with secrets.
    package static func redacting(_ fields: HTTPFields, and others: Set<HTTPField.Name> = []) -> HTTPFields {
        let isHidden = { (name: HTTPField.Name) in isSecret(name) || others.contains(name) }
        guard fields.contains(where: { isHidden($0.name) }) else { return fields }
        var shown = HTTPFields()
        for field in fields {
            shown.append(isHidden(field.name) ? HTTPField(name: field.name, value: placeholder) : field)
        }
        return shown
    }
}
