import YAML

extension InterpolatedTree {
    /// Puts the values of environment variables in the places of the settings that declare them.
    ///
    /// - Returns: The variables that had a value.
    mutating func override(with environment: [String: String]) -> [SettingReader.Override] {
        var made: [SettingReader.Override] = []
        for (keys, override) in GatewayConfiguration.settings.shape.overrides() {
            guard let text = environment[override.variable], !text.isEmpty else { continue }
            replace(keys[...]) { override.node(text, $0) }
            made.append(SettingReader.Override(path: YAMLPath(keys: keys), variable: override.variable))
        }
        return made
    }
}

extension YAMLNode {
    /// Replaces the node at the end of the way of keys, making the mappings on it that are missing.
    ///
    /// Where something else than a mapping is in the way, nothing happens: reading tells of it.
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
    /// The settings that an environment variable wins over, each with the way to it.
    func overrides() -> [(keys: [String], override: EnvironmentOverride)] {
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
