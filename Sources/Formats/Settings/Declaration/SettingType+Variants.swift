package import ErrandYAML

/// One alternative of a mapping that has exactly one member.
package struct SettingVariant<Value: Sendable>: Sendable {
    /// The description of the variant.
    let description: SettingDescription
    /// Reads the variant.
    ///
    /// Reports an invalid one and returns `nil`.
    fileprivate let read: @Sendable (_ node: YAMLNode, _ reader: inout SettingReader) -> Value?
    /// Writes a value of this variant; returns `nil` for any other value.
    fileprivate let write: @Sendable (Value) -> YAMLNode?

    /// Declares a variant with one value.
    ///
    /// The name, type and summary have no labels, as in the declarations of settings.
    ///
    /// - Parameters:
    ///   - name: The key in the file.
    ///   - type: The type of the content below the key.
    ///   - summary: The effect of the variant, in Markdown, for the reference page.
    ///   - make: Returns the whole value, or `nil` after a problem was reported.
    ///   - take: Returns the content below the key, or `nil` if the value is of another variant.
    package init<Content: Sendable>(
        _ name: String, _ type: SettingType<Content>, _ summary: String,
        make: @escaping @Sendable (Content) -> Value?, take: @escaping @Sendable (Value) -> Content?
    ) {
        description = SettingDescription(name: name, shape: type.shape, summary: summary)
        read = { node, reader in
            reader.enter(.key(name), node: node) { reader in
                let problems = reader.problems.count
                let content = type.read(node, nil, &reader)
                guard reader.problems.count == problems else { return nil }
                return content.flatMap(make)
            }
        }
        write = { take($0).map(type.write) }
    }
}

extension SettingType {
    /// Returns the type of a mapping with exactly one member, whose name selects the variant.
    ///
    /// A value in the file replaces the value so far as a whole, because parts of different variants seldom fit
    /// together.
    package static func oneOf(_ variants: [SettingVariant<Value>]) -> SettingType {
        let names = variants.map(\.description.name)
        return SettingType(
            shape: .oneOf(SettingGroupShape(settings: variants.map(\.description), unavailable: [])),
            read: { node, _, reader in
                guard let node else { return nil }
                guard let mapping = node.mapping else {
                    reader.report("expected a mapping, found \(reader.kind(of: node))")
                    return nil
                }
                for member in mapping.members where !names.contains(member.key) {
                    reader.reportUnknown(member, among: names)
                }
                let given = mapping.members.filter { names.contains($0.key) }
                guard given.count == 1, mapping.members.count == 1 else {
                    if mapping.members.isEmpty {
                        reader.report("expected exactly one of \(names.joined(separator: ", ")), found none")
                    } else if given.count > 1 {
                        let found = given.map(\.key).joined(separator: " and ")
                        reader.report("expected exactly one of \(names.joined(separator: ", ")), found \(found)")
                    }
                    return nil
                }
                return variants.first { $0.description.name == given[0].key }?.read(given[0].value, &reader)
            },
            write: { value in
                .mapping(
                    variants.compactMap { variant in variant.write(value).map { (variant.description.name, $0) } })
            })
    }

    /// Returns the type of a value that is either a scalar or a mapping.
    ///
    /// - Parameters:
    ///   - scalar: The type of every node other than a mapping.
    ///   - mapping: The type of mappings.
    ///   - isMapping: Returns true if a value is written as a mapping.
    package static func either(
        _ scalar: SettingType, or mapping: SettingType, isMapping: @escaping @Sendable (Value) -> Bool
    ) -> SettingType {
        SettingType(
            shape: .either(scalar.shape, mapping.shape),
            read: { node, base, reader in
                guard let node else { return nil }
                return (node.mapping == nil ? scalar : mapping).read(node, base, &reader)
            },
            write: { value in (isMapping(value) ? mapping : scalar).write(value) })
    }

    /// Returns a type with the same notation for values of another type.
    ///
    /// - Parameters:
    ///   - make: Converts a value that was read; returns `nil` after a problem was reported.
    ///   - take: Converts a value back for writing.
    package func mapped<Other: Sendable>(
        _ make: @escaping @Sendable (Value) -> Other?, _ take: @escaping @Sendable (Other) -> Value
    ) -> SettingType<Other> {
        SettingType<Other>(
            shape: shape,
            read: { node, base, reader in read(node, base.map(take), &reader).flatMap(make) },
            write: { write(take($0)) })
    }

    /// Returns a type with the same notation whose values need further input, such as the contents of a file.
    ///
    /// - Parameters:
    ///   - make: Converts a value that was read; reports a problem and returns `nil` if it cannot.
    ///   - take: Converts a value back for writing.
    package func transformed<Other: Sendable>(
        _ make: @escaping @Sendable (Value, inout SettingReader) -> Other?, _ take: @escaping @Sendable (Other) -> Value
    ) -> SettingType<Other> {
        SettingType<Other>(
            shape: shape,
            read: { node, base, reader in
                guard let value = read(node, base.map(take), &reader) else { return nil }
                return make(value, &reader)
            },
            write: { write(take($0)) })
    }

    /// Returns the type of a group whose settings in the file replace the value so far as a whole.
    ///
    /// - Parameters:
    ///   - group: The settings.
    ///   - complete: Completes the value once each setting is valid; reports a problem and returns `nil` if it cannot.
    package static func whole(
        _ group: SettingGroup<Value>,
        _ complete: @escaping @Sendable (Value, YAMLNode, inout SettingReader) -> Value?
    ) -> SettingType {
        SettingType(
            shape: .group(group.shape),
            read: { node, _, reader in
                guard let node else { return nil }
                guard node.mapping != nil else {
                    reader.report("expected a mapping, found \(reader.kind(of: node))")
                    return nil
                }
                let problems = reader.problems.count
                let value = group.read(node, onto: group.initial, &reader)
                return reader.problems.count == problems ? complete(value, node, &reader) : nil
            },
            write: { group.write($0) })
    }

    /// Returns the type of a value without a default, which is `nil` until it was read.
    ///
    /// Null in the file is refused.
    package static func required<Wrapped: Sendable>(_ type: SettingType<Wrapped>) -> SettingType
    where Value == Wrapped? {
        SettingType(
            shape: type.shape,
            read: { node, _, reader in type.read(node, nil, &reader).map { .some($0) } },
            write: { $0.map(type.write) ?? .null })
    }
}
