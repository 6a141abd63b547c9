package import ErrandYAML

/// A setting whose value has changed.
package struct SettingChange: Sendable, Hashable {
    /// The path of the setting.
    package var path: YAMLPath
    /// Tells whether the new value applies at a reload or at a restart.
    package var reload: SettingDescription.Reload

    /// Creates a change.
    package init(path: YAMLPath, reload: SettingDescription.Reload) {
        self.path = path
        self.reload = reload
    }

    /// Returns the same change with a path that begins one level higher.
    package func below(_ step: String) -> SettingChange {
        SettingChange(path: YAMLPath([.key(step)]).appending(path), reload: reload)
    }
}

/// Compares and merges two values of a setting that has settings below it.
///
/// Values are compared as they are, including secrets and the contents of files. Reported changes contain only paths.
package struct SettingComparison<Value: Sendable>: Sendable {
    /// Returns the settings below that differ, with paths relative to this setting.
    package let changes: @Sendable (_ former: Value, _ new: Value) -> [SettingChange]
    /// Copies the former values of settings that need a restart into the new value.
    package let keepRestartOnly: @Sendable (_ former: Value, _ new: inout Value) -> Void

    /// Creates a comparison.
    package init(
        changes: @escaping @Sendable (_ former: Value, _ new: Value) -> [SettingChange],
        keepRestartOnly: @escaping @Sendable (_ former: Value, _ new: inout Value) -> Void
    ) {
        self.changes = changes
        self.keepRestartOnly = keepRestartOnly
    }
}

extension SettingGroup {
    /// The comparison of two structures, setting by setting.
    package var comparison: SettingComparison<Owner> {
        let settings = settings
        return SettingComparison { former, new in
            settings.flatMap { $0.changes(from: former, to: new) }
        } keepRestartOnly: { former, new in
            for setting in settings { setting.keepRestartOnly(of: former, in: &new) }
        }
    }
}
