import YAML

/// A setting that has another value than before.
struct SettingChange: Sendable, Hashable {
    /// The way to the setting.
    var path: YAMLPath
    /// When the new value has an effect.
    var reload: SettingDescription.Reload

    /// The same change, seen from one step above.
    func below(_ step: String) -> SettingChange {
        SettingChange(path: YAMLPath([.key(step)]).appending(path), reload: reload)
    }
}

/// How two values of a setting with settings below it are compared and put together.
///
/// Values are compared as they are, secrets and the contents of files included; what is told of them is where they are.
struct SettingComparison<Value: Sendable>: Sendable {
    /// The settings below that differ, by the way to them from here.
    let changes: @Sendable (_ former: Value, _ new: Value) -> [SettingChange]
    /// Brings the former values of settings below that need a restart into the new value.
    let keepRestartOnly: @Sendable (_ former: Value, _ new: inout Value) -> Void
}

extension SettingGroup {
    /// How two structures are compared: setting by setting.
    var comparison: SettingComparison<Owner> {
        let settings = settings
        return SettingComparison { former, new in
            settings.flatMap { $0.changes(from: former, to: new) }
        } keepRestartOnly: { former, new in
            for setting in settings { setting.keepRestartOnly(of: former, in: &new) }
        }
    }
}
