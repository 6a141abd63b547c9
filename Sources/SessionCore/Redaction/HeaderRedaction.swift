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

    /// The fields, in their order, with ``placeholder`` for the values of secret ones.
    ///
    /// - Parameter others: Further names of secret ones.
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
