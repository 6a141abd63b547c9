import YAML

/// How the values of a setting are read from a node and written as one.
struct SettingType<Value: Sendable>: Sendable {
    /// Reads a value.
    ///
    /// `node` is `nil` where the file has none; `base` is the value so far: the default, what is inherited, or `nil`
    /// for a new item. `nil` is returned where the file has no value, and where it has a bad one, which is reported.
    typealias Read = @Sendable (_ node: YAMLNode?, _ base: Value?, _ reader: inout SettingReader) -> Value?

    /// What the value looks like.
    let shape: SettingShape
    /// Reads a value.
    let read: Read
    /// Writes a value as the file would have it.
    let write: @Sendable (Value) -> YAMLNode
    /// How two values are compared; `nil` for one that is compared as a whole.
    var comparison: SettingComparison<Value>?
}

/// Why a scalar is refused.
enum ScalarRefusal: Error {
    /// It is not what the shape of its type expects.
    case unexpected
    /// For a reason of its own. The text never repeats the scalar.
    case because(String)
}

extension SettingType {
    /// A type whose values are written as one scalar.
    ///
    /// - Parameters:
    ///   - shape: What the scalar looks like.
    ///   - parse: Makes the value out of the scalar's text.
    ///   - format: Makes the text out of a value.
    static func scalar(
        _ shape: ScalarShape, parse: @escaping @Sendable (String) throws(ScalarRefusal) -> Value,
        format: @escaping @Sendable (Value) -> YAMLNode
    ) -> SettingType {
        SettingType(
            shape: .scalar(shape),
            read: { node, base, reader in
                guard let node, let scalar = reader.scalar(of: node, expecting: shape) else { return nil }
                do throws(ScalarRefusal) {
                    return try parse(scalar.text)
                } catch {
                    switch error {
                    case .unexpected: reader.report("expected \(shape.expectation), found \(scalar.shown)")
                    case .because(let reason): reader.report(reason)
                    }
                    return nil
                }
            },
            write: format)
    }

    /// Settings of its own, read onto the value so far: a setting that is not there keeps its value.
    static func group(_ group: SettingGroup<Value>) -> SettingType {
        SettingType(
            shape: .group(group.shape),
            read: { node, base, reader in group.read(node, onto: base ?? group.initial, &reader) },
            write: { group.write($0) }, comparison: group.comparison)
    }

    /// The same type with a check of its values.
    ///
    /// - Parameter check: Reports what is wrong. It also sees values that the file does not have.
    func checked(_ check: @escaping @Sendable (Value, inout SettingReader) -> Void) -> SettingType {
        SettingType(
            shape: shape,
            read: { node, base, reader in
                let problems = reader.problems.count
                let value = read(node, base, &reader)
                if reader.problems.count == problems, let effective = value ?? base { check(effective, &reader) }
                return value
            },
            write: write, comparison: comparison)
    }

    /// A value of another type, or `nil` for a plain `null`, `~` or nothing.
    static func nullable<Wrapped: Sendable>(_ type: SettingType<Wrapped>) -> SettingType where Value == Wrapped? {
        SettingType(
            shape: .nullable(type.shape),
            read: { node, base, reader in
                guard let node else { return nil }
                if node.isNull { return .some(nil) }
                return type.read(node, base ?? nil, &reader).map { .some($0) }
            },
            write: { $0.map(type.write) ?? .null })
    }

    /// A list.
    ///
    /// A list in the file replaces the one so far.
    ///
    /// - Parameters:
    ///   - item: The type of the items.
    ///   - orSingle: Whether one item alone may stand without brackets.
    ///   - isNotEmpty: Whether the list has to have an item.
    ///   - distinct: A setting of the items of which no two may have the same value.
    static func list<Item: Sendable>(
        of item: SettingType<Item>, orSingle: Bool = false, isNotEmpty: Bool = false,
        distinct: (name: String, value: any KeyPath<Item, String> & Sendable)? = nil
    ) -> SettingType where Value == [Item] {
        SettingType(
            shape: .list(item.shape, orSingle: orSingle),
            read: { node, _, reader in
                guard let node else { return nil }
                guard case .sequence(let nodes) = node.content else {
                    if orSingle, !node.isNull { return item.read(node, nil, &reader).map { [$0] } }
                    reader.report("expected a list, found \(reader.kind(of: node))")
                    return nil
                }
                if nodes.isEmpty, isNotEmpty { reader.report("expected at least one item, found an empty list") }
                var taken: Set<String> = []
                return nodes.enumerated().compactMap { index, node in
                    reader.enter(.index(index), node) { reader in
                        let value = item.read(node, nil, &reader)
                        if let value, let distinct, reader.isSound(distinct.name),
                            !taken.insert(value[keyPath: distinct.value]).inserted
                        {
                            reader.report("an item before has the same", at: distinct.name, in: node)
                        }
                        return value
                    }
                }
            },
            write: { items in .sequence(items.map(item.write)) })
    }
}
