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
        default: telltales.contains { holds(name.canonicalName.utf8, $0.utf8) }
        }
    }

    /// Returns true if a header field carries a secret: its name tells it, or it is marked as sensitive, as
    /// fields are that no intermediary may index (``HTTPTypes/HTTPField/DynamicTableIndexingStrategy``, RFC 7541 §7.1.3).
    package static func carriesSecret(_ field: HTTPField) -> Bool {
        looksSecret(field.name) || field.indexingStrategy == .disallow
    }

    /// Returns the names of those header fields that carry secrets.
    package static func secretNames(in fields: HTTPFields) -> Set<HTTPField.Name> {
        Set(fields.filter(carriesSecret).map(\.name))
    }

    /// Returns true if `text` contains `part`, compared as bytes, as both are ASCII.
    private static func holds(_ text: String.UTF8View, _ part: String.UTF8View) -> Bool {
        var rest = text[...]
        while rest.count >= part.count {
            if rest.starts(with: part) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    private static let telltales = [
        "auth", "credential", "key", "passw", "secret", "session", "signature", "token",
    ]

    /// Returns the fields, in their order, with ``placeholder`` for secret values.
    ///
    /// - Parameters:
    ///   - fields: The fields to show.
    ///   - isOther: Returns true for the names of further fields with secrets.
    package static func redacting(
        _ fields: HTTPFields, and isOther: (HTTPField.Name) -> Bool = { _ in false }
    ) -> HTTPFields {
        guard fields.contains(where: { isSecret($0.name) || isOther($0.name) }) else { return fields }
        var shown = HTTPFields()
        for field in fields {
            let isHidden = isSecret(field.name) || isOther(field.name)
            shown.append(isHidden ? HTTPField(name: field.name, value: placeholder) : field)
        }
        return shown
    }
}
