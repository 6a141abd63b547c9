/// A node of a YAML document: a scalar, a sequence or a mapping, with its location.
///
/// Aliases are expanded and merges are resolved. A node that was reached through an alias has the location of the
/// anchor's node, which is the text that determines its value.
package struct YAMLNode: Sendable, Hashable {
    /// The content of a node.
    package enum Content: Sendable, Hashable {
        /// Text.
        case scalar(YAMLScalar)
        /// Items in order.
        case sequence([YAMLNode])
        /// Keys and values in order.
        case mapping(YAMLMapping)
    }

    /// The content of the node.
    package var content: Content
    /// The start of the node, or `nil` if it was not parsed from a text.
    package var mark: YAMLMark?

    /// Creates a node.
    package init(_ content: Content, mark: YAMLMark? = nil) {
        self.content = content
        self.mark = mark
    }

    /// The items of a sequence, otherwise `nil`.
    package var items: [YAMLNode]? {
        if case .sequence(let items) = content { items } else { nil }
    }

    /// Creates a scalar without quotes.
    package static func plain(_ text: String) -> YAMLNode {
        YAMLNode(.scalar(YAMLScalar(text, isQuoted: false)))
    }

    /// Creates a scalar in quotes.
    package static func quoted(_ text: String) -> YAMLNode {
        YAMLNode(.scalar(YAMLScalar(text, isQuoted: true)))
    }

    /// Creates a sequence.
    package static func sequence(_ items: [YAMLNode]) -> YAMLNode {
        YAMLNode(.sequence(items))
    }

    /// Creates a mapping; of repeated keys the first one is kept.
    package static func mapping(_ members: [(String, YAMLNode)]) -> YAMLNode {
        var mapping = YAMLMapping()
        for (key, value) in members {
            mapping.append(YAMLMember(key: key, value: value))
        }
        return YAMLNode(.mapping(mapping))
    }

    /// The plain scalar `null`.
    package static let null = plain("null")

    /// True for a null: an unquoted scalar that is empty, `~`, `null`, `Null` or `NULL` (YAML 1.1, tag `!!null`).
    package var isNull: Bool {
        guard case .scalar(let scalar) = content else { return false }
        return scalar.isNull
    }

    /// The mapping, or `nil` for another node.
    package var mapping: YAMLMapping? {
        guard case .mapping(let mapping) = content else { return nil }
        return mapping
    }

    /// Returns the node at a path that starts here.
    package subscript(path: YAMLPath) -> YAMLNode? {
        var node = self
        for step in path.steps {
            switch (step, node.content) {
            case (.key(let key), .mapping(let mapping)):
                guard let member = mapping[key] else { return nil }
                node = member.value
            case (.index(let index), .sequence(let items)) where items.indices.contains(index):
                node = items[index]
            default:
                return nil
            }
        }
        return node
    }
}

/// The text of a scalar, without a type: its meaning depends on the reader.
package struct YAMLScalar: Sendable, Hashable {
    /// The text, with escapes and folding resolved.
    package var text: String
    /// True if the scalar was quoted, a block scalar, or tagged `!!str`: it is then text and never null.
    package var isQuoted: Bool

    /// Creates a scalar.
    package init(_ text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// True for a null; see ``YAMLNode/isNull``.
    package var isNull: Bool {
        !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text)
    }
}
