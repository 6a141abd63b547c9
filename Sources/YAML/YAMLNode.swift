/// A node of a YAML document: a scalar, a sequence or a mapping, with the place where it was written.
///
/// Aliases are replaced by what they stand for and merges are done. A node that was reached through an alias has the
/// marks of its anchor's node, the text that one has to look at.
package struct YAMLNode: Sendable, Hashable {
    /// What a node is.
    package enum Content: Sendable, Hashable {
        /// Text.
        case scalar(YAMLScalar)
        /// Items in order.
        case sequence([YAMLNode])
        /// Keys and values in order.
        case mapping(YAMLMapping)
    }

    /// What it is.
    package var content: Content
    /// Where it begins, or `nil` for a node that was not read from a text.
    package var mark: YAMLMark?

    /// Creates a node.
    package init(_ content: Content, mark: YAMLMark? = nil) {
        self.content = content
        self.mark = mark
    }

    /// A scalar without quotes.
    package static func plain(_ text: String) -> YAMLNode {
        YAMLNode(.scalar(YAMLScalar(text, isQuoted: false)))
    }

    /// A scalar in quotes.
    package static func quoted(_ text: String) -> YAMLNode {
        YAMLNode(.scalar(YAMLScalar(text, isQuoted: true)))
    }

    /// A sequence.
    package static func sequence(_ items: [YAMLNode]) -> YAMLNode {
        YAMLNode(.sequence(items))
    }

    /// A mapping; of keys that occur twice the first counts.
    package static func mapping(_ members: [(String, YAMLNode)]) -> YAMLNode {
        var mapping = YAMLMapping()
        for (key, value) in members {
            mapping.append(YAMLMember(key: key, value: value))
        }
        return YAMLNode(.mapping(mapping))
    }

    /// The plain scalar `null`.
    package static let null = plain("null")

    /// Whether this is a null: a scalar without quotes that is empty, `~`, `null`, `Null` or `NULL` (YAML 1.1, tag
    /// `!!null`).
    package var isNull: Bool {
        guard case .scalar(let scalar) = content else { return false }
        return scalar.isNull
    }

    /// The mapping, when it is one.
    package var mapping: YAMLMapping? {
        guard case .mapping(let mapping) = content else { return nil }
        return mapping
    }

    /// The node at the end of a path from here.
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

/// The text of a scalar, without a type: what it means is up to whoever reads it.
package struct YAMLScalar: Sendable, Hashable {
    /// The text, escapes and folding resolved.
    package var text: String
    /// Whether it was written in quotes or as a block, or tagged `!!str`: such a scalar is text and never null.
    package var isQuoted: Bool

    /// Creates a scalar.
    package init(_ text: String, isQuoted: Bool) {
        self.text = text
        self.isQuoted = isQuoted
    }

    /// Whether it is a null; see ``YAMLNode/isNull``.
    package var isNull: Bool {
        !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text)
    }
}
