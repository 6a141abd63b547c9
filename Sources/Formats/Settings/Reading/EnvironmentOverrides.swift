import ErrandYAML

extension InterpolatedTree {
    /// Replaces settings with the values of the environment variables that they declare.
    ///
    /// - Parameter shape: The settings, from the root of the file.
    /// - Returns: The variables that had a value.
    mutating func override(
        _ shape: SettingGroupShape, with environment: [String: String]
    ) -> [SettingReader.Override] {
        // An empty variable counts as unset.
        let environment = environment.filter { !$0.value.isEmpty }
        var made: [SettingReader.Override] = []
        for (keys, override) in shape.overrides() {
            guard let (text, variable) = value(of: override, for: keys, in: environment) else { continue }
            replace(keys[...]) { override.node(text, $0) }
            made.append(SettingReader.Override(path: YAMLPath(keys: keys), variable: variable))
        }
        return made
    }

    /// Returns the text for a setting, and the variable that has it or names its file.
    private mutating func value(
        of override: EnvironmentOverride, for keys: [String], in environment: [String: String]
    ) -> (text: String, variable: String)? {
        let text = environment[override.variable]
        guard let fileVariable = override.fileVariable, let file = environment[fileVariable] else {
            return text.map { ($0, override.variable) }
        }
        guard text == nil else {
            report("set \(fileVariable) or \(override.variable), not both", of: fileVariable, for: keys)
            return nil
        }
        return self.text(ofFile: file, namedBy: fileVariable, for: keys).map { ($0, fileVariable) }
    }
}

extension YAMLNode {
    /// Replaces the node at a path of keys, creating the missing mappings on the path.
    ///
    /// If the path leads through a node that is not a mapping, nothing happens. Reading reports that node.
    mutating func replace(_ keys: ArraySlice<String>, _ change: (YAMLNode?) -> YAMLNode) {
        guard let key = keys.first, var mapping = isNull ? YAMLMapping() : mapping else { return }
        let present = mapping[key]?.value
        if keys.count == 1 {
            mapping.set(key, to: change(present))
        } else {
            var child = present ?? .mapping([])
            child.replace(keys.dropFirst(), change)
            mapping.set(key, to: child)
        }
        content = .mapping(mapping)
    }
}

extension SettingGroupShape {
    /// Returns the settings with an environment variable, each with its path.
    package func overrides() -> [(keys: [String], override: EnvironmentOverride)] {
        settings.flatMap { setting in
            var found: [(keys: [String], override: EnvironmentOverride)] = []
            if let override = setting.environment { found.append(([setting.name], override)) }
            if case .group(let group) = setting.shape {
                found += group.overrides().map { ([setting.name] + $0.keys, $0.override) }
            }
            return found
        }
    }
}
