/// What the value of a setting looks like: for people, and for the JSON Schema.
indirect enum SettingShape: Sendable {
    /// One value.
    case scalar(ScalarShape)
    /// A list of values; where `orSingle` one alone needs no brackets.
    case list(SettingShape, orSingle: Bool)
    /// Keys that the user chooses, all with values of one shape.
    case map(keys: String, SettingShape)
    /// A value, or null.
    case nullable(SettingShape)
    /// Settings of its own.
    case group(SettingGroupShape)
    /// A mapping with exactly one of these members.
    case oneOf(SettingGroupShape)
    /// A mapping with any members, which is read elsewhere; the words for it.
    case document(String)
    /// Either of two shapes that the kind of node tells apart.
    case either(SettingShape, SettingShape)

    /// The words for the reference page: `list of addresses`.
    var label: String {
        switch self {
        case .scalar(let scalar): scalar.label
        case .list(let item, let orSingle): (orSingle ? "\(item.label), or a list of them" : "list of: \(item.label)")
        case .map(let keys, let value): "mapping of \(keys) to \(value.label)"
        case .nullable(let shape): "\(shape.label), or null"
        case .group: "settings"
        case .oneOf(let group): "exactly one of " + group.settings.map { "`\($0.name)`" }.joined(separator: ", ")
        case .document(let label): label
        case .either(let first, let second): "\(first.label), or \(second.label)"
        }
    }

    /// Whether the value is never shown.
    var isSecret: Bool {
        switch self {
        case .scalar(let scalar): scalar.isSecret
        case .nullable(let shape): shape.isSecret
        case .list, .map, .group, .oneOf, .document, .either: false
        }
    }
}

/// What a scalar looks like.
struct ScalarShape: Sendable {
    /// What a JSON Schema can say of it beyond that it is text.
    enum Constraint: Sendable {
        /// Nothing.
        case none
        /// `true` or `false`.
        case boolean
        /// A whole number in a range.
        case integer(ClosedRange<Int>)
        /// A number in a range, whole or with decimals.
        case number(ClosedRange<Double>)
        /// One of these words.
        case words([String])
        /// A text that matches a regular expression (ECMA-262), or also a whole number.
        case pattern(String, orInteger: Bool)
    }

    /// The type in a few words for the reference page: `size, 1KiB to 64MiB`.
    var label: String
    /// The rest of "expected …, found …": `a size such as 64MiB`.
    var expectation: String
    /// What a schema can check.
    var constraint: Constraint = .none
    /// Whether the value is never shown.
    var isSecret = false
}

/// The settings of a group.
struct SettingGroupShape: Sendable {
    /// The settings in the order of their declarations.
    var settings: [SettingDescription]
    /// Names that are known, and refused as not available.
    var unavailable: [String]
}
