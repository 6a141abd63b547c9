import YAML

/// One of the members of which a mapping has exactly one.
struct SettingVariant<Value: Sendable>: Sendable {
    /// What is told about it.
    let description: SettingDescription
    /// Reads the variant; `nil` for a bad one, which is reported.
    fileprivate let read: @Sendable (_ node: YAMLNode, _ reader: inout SettingReader) -> Value?
    /// Writes a value that is of this variant; `nil` for any other.
    fileprivate let write: @Sendable (Value) -> YAMLNode?

    /// Declares a variant with one value.
    ///
    /// - Parameters:
    ///   - name: The key in the file.
    ///   - type: How what stands below the key is read and written.
    ///   - summary: What it does, in Markdown, for the reference page.
    ///   - make: The value of the whole; `nil` for one that is not to be had, which was reported.
    ///   - take: What of a value stands below the key; `nil` where the value is of another variant.
    init<Content: Sendable>(
        _ name: String, _ type: SettingType<Content>, _ summary: String,
        make: @escaping @Sendable (Content) -> Value?, take: @escaping @Sendable (Value) -> Content?
    ) {
        description = SettingDescription(name: name, shape: type.shape, summary: summary)
        read = { node, reader in
            reader.enter(.key(name), node) { reader in
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
    /// A mapping with exactly one member, which says what its value is.
    ///
    /// What the file has replaces the value so far as a whole: two halves of different origins seldom fit.
    static func oneOf(_ variants: [SettingVariant<Value>]) -> SettingType {
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

    /// A scalar of one type, or a mapping of another.
    ///
    /// - Parameters:
    ///   - scalar: The type of what is no mapping.
    ///   - mapping: The type of mappings.
    ///   - isMapping: Whether a value is written as a mapping.
    static func either(
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

    /// The same notation for values of another type.
    ///
    /// - Parameters:
    ///   - make: The value of what was read; `nil` for one that is not to be had, which was reported.
    ///   - take: What is written of a value.
    func mapped<Other: Sendable>(
        _ make: @escaping @Sendable (Value) -> Other?, _ take: @escaping @Sendable (Other) -> Value
    ) -> SettingType<Other> {
        SettingType<Other>(
            shape: shape,
            read: { node, base, reader in read(node, base.map(take), &reader).flatMap(make) },
            write: { write(take($0)) })
    }

    /// The same notation for values that more is needed for than the notation, such as the contents of a file.
    ///
    /// - Parameters:
    ///   - make: The value of what was read; `nil` for one that is not to be had, which it reports.
    ///   - take: What is written of a value.
    func transformed<Other: Sendable>(
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

    /// Settings that belong together: what the file has replaces the value so far as a whole.
    ///
    /// - Parameters:
    ///   - group: The settings.
    ///   - complete: Makes the value of settings that are good by themselves; `nil` for one that is not to be had, which
    ///     it reports.
    static func whole(
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

    /// A value that has no default, so that before it is read there is none; null is refused.
    static func required<Wrapped: Sendable>(_ type: SettingType<Wrapped>) -> SettingType where Value == Wrapped? {
        SettingType(
            shape: type.shape,
            read: { node, _, reader in type.read(node, nil, &reader).map { .some($0) } },
            write: { $0.map(type.write) ?? .null })
    }
}
