import ErrandYAML

/// A text that is shown only if the file contains it: what `${…}` inserts may be a secret.
package struct RedactableText: Sendable, Hashable {
    /// The text.
    package var text: String
    /// True if `${…}` has inserted something into the text, which is then not shown.
    package var isSecret: Bool

    /// Creates a text, by default one that is shown.
    package init(_ text: String, isSecret: Bool = false) {
        self.text = text
        self.isSecret = isSecret
    }
}

extension SettingType where Value == RedactableText {
    /// Returns the type of a text that is printed as `[redacted]` if `${…}` has inserted something into it.
    ///
    /// - Parameter type: The type of the text.
    package static func redactable(_ type: SettingType<String>) -> SettingType {
        SettingType(
            shape: type.shape,
            read: { node, base, reader in
                guard let node, let text = type.read(node, base?.text, &reader) else { return nil }
                return RedactableText(text, isSecret: reader.isInterpolated(node))
            },
            write: { $0.isSecret ? .redacted : type.write($0.text) })
    }
}
