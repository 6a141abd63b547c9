import ErrandText

/// A writer of node trees as YAML in block style with two columns for each level, which ``YAMLReader`` reads back.
package enum YAMLWriter {
    /// Returns the text of a mapping, terminated by a line feed.
    ///
    /// - Parameter node: The root. Sequences of scalars are written in one line, `[a, b]`, if they fit.
    package static func text(of node: YAMLNode) -> String {
        var text = ""
        switch node.content {
        case .scalar(let scalar):
            text = self.scalar(scalar)
        case .sequence(let items):
            text = inline(items) ?? block(items, indent: 0)
        case .mapping(let mapping):
            text = mapping.isEmpty ? "{}" : block(mapping, indent: 0)
        }
        if !text.hasSuffix("\n") { text += "\n" }
        return text
    }

    private static let width = 100

    private static func block(_ mapping: YAMLMapping, indent: Int) -> String {
        var text = ""
        for member in mapping.members {
            text += spaces(indent) + key(member.key, indent: indent) + ":"
            text += value(member.value, indent: indent + 2)
        }
        return text
    }

    /// Returns a key.
    ///
    /// `<<` is quoted so that it is not a merge, and so is text that looks like a null. A key that is too long to be
    /// recognized by its colon (YAML 1.1 §9.3.2: 1024 characters) is written after a question mark.
    private static func key(_ text: String, indent: Int) -> String {
        let isQuoted = text == "<<" || YAMLScalar(text, isQuoted: false).isNull
        let key = scalar(YAMLScalar(text, isQuoted: isQuoted))
        return key.utf8.count <= 1000 ? key : "? " + key + "\n" + spaces(indent)
    }

    private static func block(_ items: [YAMLNode], indent: Int) -> String {
        var text = ""
        for item in items {
            text += spaces(indent) + "-"
            if case .mapping(let mapping) = item.content, !mapping.isEmpty {
                // The first member is on the line of the dash.
                text += " " + block(mapping, indent: indent + 2).dropFirst(indent + 2)
            } else {
                text += value(item, indent: indent + 2)
            }
        }
        return text
    }

    /// Returns the text after a colon or a dash, up to the end of the line or on separate lines.
    private static func value(_ node: YAMLNode, indent: Int) -> String {
        switch node.content {
        case .scalar(let scalar):
            " " + self.scalar(scalar) + "\n"
        case .sequence(let items):
            if let line = inline(items) { " " + line + "\n" } else { "\n" + block(items, indent: indent) }
        case .mapping(let mapping):
            mapping.isEmpty ? " {}\n" : "\n" + block(mapping, indent: indent)
        }
    }

    private static func inline(_ items: [YAMLNode]) -> String? {
        var parts: [String] = []
        for item in items {
            guard case .scalar(let scalar) = item.content else { return nil }
            parts.append(self.scalar(scalar))
        }
        let line = "[" + parts.joined(separator: ", ") + "]"
        return line.utf8.count <= width ? line : nil
    }

    /// Returns a scalar, quoted if it was or must be quoted; a null is always written as `null`.
    private static func scalar(_ scalar: YAMLScalar) -> String {
        if scalar.isNull { return "null" }
        return scalar.isQuoted || !isSafePlain(scalar.text) ? YAMLText.quoted(scalar.text) : scalar.text
    }

    /// Returns true if a text has the same meaning without quotes, in block and in flow style (YAML 1.1 §9.1.3).
    ///
    /// It is stricter than YAML, because quoted text is always correct.
    private static func isSafePlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, isWordByte(first) || first == UInt8(ascii: "/") else { return false }
        return text.utf8.allSatisfy { isWordByte($0) || punctuation.contains($0) }
            && !text.hasSuffix(":") && text != "..."
    }

    private static let punctuation = Set("/-+:@".utf8)

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
