import ErrandSessionCore
import ErrandYAML

/// The settings that have no effect in the session for callbacks.
///
/// Callbacks are sent with POST, follow no redirects, and have their own schedule of attempts. The file may not set
/// these settings there, and a printed configuration does not have them.
enum CallbackSessionSettings {
    private static let withoutEffect: [(keys: [String], reason: String)] = {
        let attempts = ["max_attempts", "backoff", "max_elapsed", "methods", "statuses", "after_crash"].map { name in
            (keys: ["retry", name], reason: "callbacks have their own schedule of attempts: remove it")
        }
        return [
            (keys: ["allow_methods"], reason: "callbacks are always sent with POST: remove it"),
            (keys: ["redirects"], reason: "callbacks never follow redirects: remove it"),
        ] + attempts
    }()

    /// Reports these settings in the node of the session for callbacks.
    static func refuse(in node: YAMLNode, reportingTo reader: inout SettingReader) {
        for (keys, reason) in withoutEffect where node[YAMLPath(keys: keys)] != nil {
            reader.report(reason, at: keys.map { .key($0) }, in: node)
        }
    }

    /// Returns a session as a node of the file, without these settings if it is the session for callbacks.
    static func write(_ session: SessionConfiguration) -> YAMLNode {
        let node = SessionConfiguration.settings.write(session)
        guard session.name == SessionConfiguration.callbacksName else { return node }
        return withoutEffect.reduce(node) { node, setting in node.removing(setting.keys[...]) }
    }
}

extension YAMLNode {
    /// Returns the node without the member at a path.
    fileprivate func removing(_ keys: ArraySlice<String>) -> YAMLNode {
        guard let first = keys.first, let mapping else { return self }
        return .mapping(
            mapping.members.compactMap { member -> (String, YAMLNode)? in
                guard member.key == first else { return (member.key, member.value) }
                return keys.count == 1 ? nil : (member.key, member.value.removing(keys.dropFirst()))
            })
    }
}
