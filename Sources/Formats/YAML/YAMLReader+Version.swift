import CErrandLibYAML

extension YAMLReader {
    /// The version of libyaml.
    package static var libraryVersion: String {
        yaml_get_version_string().map { String(cString: $0) } ?? "unknown"
    }
}
