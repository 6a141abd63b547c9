import ErrandText

/// The members of a mapping in their order, with each key once.
///
/// Keys are compared byte by byte, as the names of JSON are.
package struct YAMLMapping: Sendable, Hashable {
    /// The members; those of a merge (`<<`) come after the mapping's own.
    package private(set) var members: [YAMLMember] = []
    private var places: [ExactText: Int] = [:]

    /// Creates an empty mapping.
    package init() {}

    /// A Boolean value that indicates whether the mapping is empty.
    package var isEmpty: Bool { members.isEmpty }

    /// The member with this key.
    package subscript(key: String) -> YAMLMember? {
        places[ExactText(key)].map { members[$0] }
    }

    /// Appends a member.
    ///
    /// - Returns: The existing member with this key, if any; then nothing is added.
    @discardableResult
    package mutating func append(_ member: YAMLMember) -> YAMLMember? {
        if let present = self[member.key] { return present }
        places[ExactText(member.key)] = members.count
        members.append(member)
        return nil
    }

    /// Replaces the value of a key, or appends the key.
    package mutating func set(_ key: String, to value: YAMLNode) {
        if let place = places[ExactText(key)] {
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
    /// The start of the key, or `nil` if it was not parsed from a text.
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
