/// The members of a mapping in the order in which they were written, each key once.
package struct YAMLMapping: Sendable, Hashable {
    /// The members; those of a merge (`<<`) come after the mapping's own.
    package private(set) var members: [YAMLMember] = []
    private var places: [String: Int] = [:]

    /// Creates an empty mapping.
    package init() {}

    /// Whether there is no member.
    package var isEmpty: Bool { members.isEmpty }

    /// The member with this key.
    package subscript(key: String) -> YAMLMember? {
        places[key].map { members[$0] }
    }

    /// Adds a member at the end.
    ///
    /// - Returns: The member that has this key already, when there is one: then nothing is added.
    @discardableResult
    package mutating func append(_ member: YAMLMember) -> YAMLMember? {
        if let present = self[member.key] { return present }
        places[member.key] = members.count
        members.append(member)
        return nil
    }

    /// Replaces the value of a key, or adds the key at the end.
    package mutating func set(_ key: String, to value: YAMLNode) {
        if let place = places[key] {
            members[place].value = value
        } else {
            append(YAMLMember(key: key, value: value))
        }
    }
}

/// A key and its value.
package struct YAMLMember: Sendable, Hashable {
    /// The key's text.
    package var key: String
    /// Where the key begins, or `nil` for one that was not read from a text.
    package var keyMark: YAMLMark?
    /// The value.
    package var value: YAMLNode

    /// Creates a member.
    package init(key: String, keyMark: YAMLMark? = nil, value: YAMLNode) {
        self.key = key
        self.keyMark = keyMark
        self.value = value
    }
}
