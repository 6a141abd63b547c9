package import YAML

/// One thing that is wrong, or risky, in a configuration, with its place.
///
/// It never repeats a secret.
package struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
    /// Where the value at fault comes from.
    package enum Location: Sendable, Hashable {
        /// A place in the file.
        case file(YAMLMark)
        /// An environment variable.
        case variable(String)
    }

    /// Where the value at fault comes from.
    package var location: Location
    /// The setting; the root for what concerns the whole file.
    package var path: YAMLPath
    /// What is wrong, for people.
    package var message: String

    /// Creates a problem.
    package init(_ location: Location, _ path: YAMLPath, _ message: String) {
        self.location = location
        self.path = path
        self.message = message
    }

    init(_ error: YAMLError) {
        self.init(.file(error.mark), error.path, error.message)
    }

    /// `config.yaml:12:5: sessions.github.timeouts.idle: expected a duration such as 30s, found "fast"`.
    ///
    /// - Parameter file: The name of the file, as the user gave it.
    package func text(file: String) -> String {
        let place =
            switch location {
            case .file(let mark): "\(file):\(mark)"
            case .variable(let name): name
            }
        return path.isRoot ? "\(place): \(message)" : "\(place): \(path): \(message)"
    }

    /// `auth.allow_anonymous: everybody who can connect may do everything`: what it is without its place.
    package var description: String {
        path.isRoot ? message : "\(path): \(message)"
    }

    /// The order for reading: environment variables first, then the file from its beginning.
    static func isBefore(_ left: ConfigurationProblem, _ right: ConfigurationProblem) -> Bool {
        switch (left.location, right.location) {
        case (.file(let left), .file(let right)): left < right
        case (.variable(let left), .variable(let right)): left < right
        case (.variable, .file): true
        case (.file, .variable): false
        }
    }
}
