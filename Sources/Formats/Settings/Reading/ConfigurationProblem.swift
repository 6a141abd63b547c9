import ErrandJSON
package import ErrandYAML

/// A problem or risk in a configuration, with its location.
///
/// It never contains a secret.
package struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
    /// The origin of the value at fault.
    package enum Location: Sendable, Hashable {
        /// A place in the file.
        case file(YAMLMark)
        /// An environment variable.
        case variable(String)
    }

    /// The origin of the value at fault.
    package var location: Location
    /// The path of the setting; the root for a problem of the whole file.
    package var path: YAMLPath
    /// The description of the problem, for the user.
    package var message: String

    /// Creates a problem.
    package init(location: Location, path: YAMLPath, message: String) {
        self.location = location
        self.path = path
        self.message = message
    }

    init(_ error: YAMLError) {
        self.init(location: .file(error.mark), path: error.path, message: error.message)
    }

    /// Returns the text with its location.
    ///
    /// An example is `config.yaml:12:5: sessions.github.timeouts.idle: expected a duration such as 30s, found "fast"`.
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

    /// The path and the message without the location.
    ///
    /// An example is `auth.allow_anonymous: any client that can connect may use every endpoint`.
    package var description: String {
        path.isRoot ? message : "\(path): \(message)"
    }

    /// Sorts environment variables first, then the file from its beginning.
    static func isBefore(_ left: ConfigurationProblem, _ right: ConfigurationProblem) -> Bool {
        switch (left.location, right.location) {
        case (.file(let left), .file(let right)): left < right
        case (.variable(let left), .variable(let right)): left < right
        case (.variable, .file): true
        case (.file, .variable): false
        }
    }
}

extension ConfigurationProblem {
    /// The path of the setting as a JSON pointer (RFC 6901); empty for the whole file.
    ///
    /// An example is `/sessions/github/timeouts/idle`.
    package var pointer: String {
        let tokens = path.steps.map { step in
            switch step {
            case .key(let key): key
            case .index(let index): String(index)
            }
        }
        return JSONPointer(tokens).description
    }
}

extension [ConfigurationProblem] {
    /// Adds a problem, up to ``SettingReader/maxProblems`` and one that says that there are more.
    ///
    /// Thousands of problems help no reader, and searching for one among them takes time.
    mutating func add(_ problem: ConfigurationProblem) {
        guard count <= SettingReader.maxProblems else { return }
        if count < SettingReader.maxProblems {
            append(problem)
        } else {
            append(
                ConfigurationProblem(
                    location: problem.location, path: YAMLPath(), message: "further problems are not listed"))
        }
    }
}
