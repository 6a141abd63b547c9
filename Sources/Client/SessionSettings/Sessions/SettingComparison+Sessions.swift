import ErrandSessionCore
import ErrandSettings
import ErrandYAML

extension SettingComparison where Value == [SessionConfiguration] {
    /// The comparison of sessions by name.
    ///
    /// Added and removed sessions are reported by name alone.
    static var byName: SettingComparison {
        let settings = SessionConfiguration.settings.comparison
        return SettingComparison { former, new in
            var left = former.byName
            var changes: [SettingChange] = []
            for session in new {
                guard let before = left.removeValue(forKey: session.name) else {
                    changes.append(.whole(session))
                    continue
                }
                if before.isSame(as: session) { continue }
                let below = settings.changes(before, session)
                changes += below.isEmpty ? [.whole(session)] : below.map { $0.below(session.name) }
            }
            return changes + former.filter { left[$0.name] != nil }.map(SettingChange.whole)
        } keepRestartOnly: { former, new in
            let former = former.byName
            for index in new.indices {
                guard let before = former[new[index].name] else { continue }
                settings.keepRestartOnly(before, &new[index])
            }
        }
    }
}

extension [SessionConfiguration] {
    fileprivate var byName: [String: SessionConfiguration] {
        Dictionary(map { ($0.name, $0) }) { first, _ in first }
    }
}

extension SettingChange {
    /// Returns the change of a whole session.
    fileprivate static func whole(_ session: SessionConfiguration) -> SettingChange {
        SettingChange(path: YAMLPath([.key(session.name)]), reload: .live)
    }
}
