/// The shape of the value of a setting, for the reference page and the JSON Schema.
package indirect enum SettingShape: Sendable {
    /// One value.
    case scalar(ScalarShape)
    /// A list of values. With `orSingle`, a single value may stand without brackets.
    case list(SettingShape, orSingle: Bool)
    /// A mapping whose keys the user chooses, and whose values all have one shape.
    case map(keys: String, SettingShape)
    /// A value, or null.
    case nullable(SettingShape)
    /// A group of settings.
    case group(SettingGroupShape)
    /// A mapping with exactly one of these members.
    case oneOf(SettingGroupShape)
    /// A mapping with any members, which another component reads. The text is its label.
    case document(String)
    /// Either of two shapes, distinguished by the kind of the node.
    case either(SettingShape, SettingShape)

    /// The label on the reference page, such as `list of addresses`.
    package var label: String {
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

    /// True if the value is never shown.
    package var isSecret: Bool {
        switch self {
        case .scalar(let scalar): scalar.isSecret
        case .nullable(let shape): shape.isSecret
        case .list, .map, .group, .oneOf, .document, .either: false
        }
    }
}

/// The shape of a scalar.
package struct ScalarShape: Sendable {
    /// The constraint that a JSON Schema can express, beyond text.
    package enum Constraint: Sendable {
        /// No constraint.
        case none
        /// `true` or `false`.
        case boolean
        /// A whole number in a range.
        case integer(ClosedRange<Int>)
        /// A number in a range, whole or with decimals.
        case number(ClosedRange<Double>)
        /// One of these words.
        case words([String])
        /// Text that matches a regular expression (ECMA-262), or optionally a whole number.
        case pattern(String, orInteger: Bool)
    }

    /// The type in a few words for the reference page: `size, 1KiB to 64MiB`.
    package var label: String
    /// The rest of "expected …, found …": `a size such as 64MiB`.
    package var expectation: String
    /// The constraint that a JSON Schema can check.
    package var constraint: Constraint = .none
    /// True if the value is never shown.
    package var isSecret = false

    /// Creates a shape.
    ///
    /// By default it has no constraint, and is shown.
    package init(label: String, expectation: String, constraint: Constraint = .none, isSecret: Bool = false) {
        self.label = label
        self.expectation = expectation
        self.constraint = constraint
        self.isSecret = isSecret
    }
}

/// The settings of a group.
package struct SettingGroupShape: Sendable {
    /// The settings in the order of their declarations.
    package var settings: [SettingDescription]
    /// Names that are recognized and refused as not available.
    package var unavailable: [String]
}
