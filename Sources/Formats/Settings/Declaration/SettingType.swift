package import ErrandYAML

/// Reads the values of a setting from nodes and writes them as nodes.
package struct SettingType<Value: Sendable>: Sendable {
    /// Reads a value.
    ///
    /// `node` is `nil` if the file lacks the setting. `base` is the value so far: the default, the inherited value, or
    /// `nil` for a new item. The result is `nil` if the file has no value or, after a report, an invalid one.
    package typealias Read = @Sendable (_ node: YAMLNode?, _ base: Value?, _ reader: inout SettingReader) -> Value?

    /// The shape of the value.
    package let shape: SettingShape
    /// Reads a value.
    package let read: Read
    /// Writes a value as a node of the file.
    package let write: @Sendable (Value) -> YAMLNode
    /// The comparison of two values; `nil` if values are compared as a whole.
    package var comparison: SettingComparison<Value>?

    /// Creates a type.
    ///
    /// - Parameter comparison: The comparison of two values. Default: `nil`, values are compared as a whole.
    package init(
        shape: SettingShape, read: @escaping Read, write: @escaping @Sendable (Value) -> YAMLNode,
        comparison: SettingComparison<Value>? = nil
    ) {
        self.shape = shape
        self.read = read
        self.write = write
        self.comparison = comparison
    }
}

/// The reason for refusing a scalar.
package enum ScalarRefusal: Error {
    /// The scalar does not match the shape of its type.
    case unexpected
    /// A specific reason.
    ///
    /// The first text never repeats the scalar. `quoting` may, and replaces it in the message for a scalar that is
    /// neither interpolated nor secret.
    case because(String, quoting: String? = nil)
}

extension SettingType {
    /// Returns a type whose values are written as one scalar.
    ///
    /// - Parameters:
    ///   - shape: The shape of the scalar.
    ///   - remedy: Returns the remedy of a text that does not match the shape, which the message then names; see
    ///     ``Remedy``.
    ///   - parse: Converts the text of the scalar into a value.
    ///   - format: Converts a value into a node.
    package static func scalar(
        _ shape: ScalarShape, remedy: @escaping @Sendable (String) -> String? = { _ in nil },
        parse: @escaping @Sendable (String) throws(ScalarRefusal) -> Value,
        format: @escaping @Sendable (Value) -> YAMLNode
    ) -> SettingType {
        SettingType(
            shape: .scalar(shape),
            read: { node, base, reader in
                guard let node, let scalar = reader.scalar(of: node, expecting: shape) else { return nil }
                do throws(ScalarRefusal) {
                    return try parse(scalar.text)
                } catch {
                    // Interpolated text may be a secret in the wrong place.
                    let isShown = !shape.isSecret && !reader.isInterpolated(node)
                    switch error {
                    case .unexpected:
                        let end = (isShown ? remedy(scalar.text) : nil).map { "; \($0)" } ?? ""
                        reader.report("expected \(shape.expectation), found \(scalar.shown)\(end)")
                    case .because(let reason, let quoting): reader.report(isShown ? quoting ?? reason : reason)
                    }
                    return nil
                }
            },
            write: format)
    }

    /// Returns the type of a group.
    ///
    /// Settings missing in the file keep their value so far.
    package static func group(_ group: SettingGroup<Value>) -> SettingType {
        SettingType(
            shape: .group(group.shape),
            read: { node, base, reader in group.read(node, onto: base ?? group.initial, &reader) },
            write: { group.write($0) }, comparison: group.comparison)
    }

    /// Returns the same type with an additional check of its values.
    ///
    /// - Parameter check: Reports problems. It also runs for values that are not from the file, such as defaults.
    package func checked(_ check: @escaping @Sendable (Value, inout SettingReader) -> Void) -> SettingType {
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

    /// Returns the type of a value of another type, or `nil` for a plain `null`, `~` or an empty node.
    package static func nullable<Wrapped: Sendable>(_ type: SettingType<Wrapped>) -> SettingType
    where Value == Wrapped? {
        SettingType(
            shape: .nullable(type.shape),
            read: { node, base, reader in
                guard let node else { return nil }
                if node.isNull { return .some(nil) }
                return type.read(node, base ?? nil, &reader).map { .some($0) }
            },
            write: { $0.map(type.write) ?? .null })
    }

    /// Returns the type of a nullable value of which a reload may change the content, but not whether there is one.
    package static func presentSinceStart<Wrapped: Sendable & Equatable>(
        _ type: SettingType<Wrapped>
    ) -> SettingType where Value == Wrapped? {
        var nullable: SettingType = .nullable(type)
        nullable.comparison = SettingComparison { former, new in
            guard former != new else { return [] }
            let isKept = (former == nil) == (new == nil)
            return [SettingChange(path: YAMLPath([]), reload: isKept ? .live : .restart)]
        } keepRestartOnly: { former, new in
            if (former == nil) != (new == nil) { new = former }
        }
        return nullable
    }

    /// Returns the type of a list, which in the file replaces the list so far.
    ///
    /// - Parameters:
    ///   - item: The type of the items.
    ///   - orSingle: True if a single item may stand without brackets.
    ///   - isNotEmpty: True if the list must have at least one item.
    ///   - distinct: A setting that must differ between all items that have it.
    package static func list<Item: Sendable>(
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
                    reader.enter(.index(index), node: node) { reader in
                        let value = item.read(node, nil, &reader)
                        if let value, let distinct, node.mapping?[distinct.name] != nil,
                            reader.isSound(distinct.name),
                            !taken.insert(value[keyPath: distinct.value]).inserted
                        {
                            reader.report("duplicate value: an earlier item has the same", at: distinct.name, in: node)
                        }
                        return value
                    }
                }
            },
            write: { items in .sequence(items.map(item.write)) })
    }
}
