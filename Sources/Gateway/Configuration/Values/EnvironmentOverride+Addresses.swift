import ErrandSettings
import ErrandYAML

extension EnvironmentOverride {
    /// Returns an override that reads the text as a list of addresses to listen on.
    static func addresses(_ variable: String) -> EnvironmentOverride {
        let prefix = "unix:"
        return list(variable, remark: "`unix:PATH` is a Unix socket, with the default `mode`.") { text in
            guard text.hasPrefix(prefix) else { return .quoted(text) }
            return .mapping([("unix", .quoted(String(text.dropFirst(prefix.count))))])
        }
    }
}
