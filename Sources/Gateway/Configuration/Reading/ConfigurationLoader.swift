package import ErrandSettings
import ErrandYAML

/// Creates a configuration from a YAML text and the environment.
///
/// It reads the outside world only through its properties, so that a reload can be tried without side effects.
package struct ConfigurationLoader: Sendable {
    /// The environment, for `${NAME}` and for the variables that take precedence over the file.
    ///
    /// Empty variables of the second kind count as unset.
    package var environment: [String: String]
    /// Reads a whole file, for `${file:…}`, certificates and keys.
    ///
    /// Error messages include the error that it throws.
    package var readFile: @Sendable (_ path: String) throws -> [UInt8]
    /// The folder in which relative paths begin; `nil` if it is not known.
    ///
    /// Without it, no relation between a relative path and an absolute one is found.
    package var workingDirectory: String?
    /// Returns the problem of a path for its use, such as `/data is not a directory`; `nil` if it can be used.
    ///
    /// A missing directory that can be created is not a problem. If the property is `nil`, paths are not checked.
    package var pathProblem: (@Sendable (_ path: String, _ use: PathUse) -> String?)?
    /// Returns the reason for which the server cannot use certificates and keys that are valid otherwise; `nil` if it
    /// can.
    ///
    /// If the property is `nil`, this is not checked.
    package var serverTLSProblem: (@Sendable (GatewayServerConfiguration.TLS) -> String?)?
    /// The budget of descriptors to which a reload lowers limits; `nil` to keep them unchanged.
    package var openFiles: OpenFileBudget?

    /// Creates a loader.
    package init(
        environment: [String: String], readFile: @escaping @Sendable (_ path: String) throws -> [UInt8],
        workingDirectory: String? = nil,
        pathProblem: (@Sendable (_ path: String, _ use: PathUse) -> String?)? = nil,
        serverTLSProblem: (@Sendable (GatewayServerConfiguration.TLS) -> String?)? = nil
    ) {
        self.environment = environment
        self.readFile = readFile
        self.workingDirectory = workingDirectory
        self.pathProblem = pathProblem
        self.serverTLSProblem = serverTLSProblem
    }

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: The name of the file, for messages.
    /// - Throws: All problems together, provided the text is valid YAML.
    package func load(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> LoadedConfiguration {
        try load(bytes, file: file) { configuration, _, _ in configuration }
    }

    /// Reads a configuration, and lets the caller revise it.
    ///
    /// - Parameters:
    ///   - emptyProblem: The problem of a text without content; `nil` if it is allowed, and means the defaults.
    ///   - revise: Returns the configuration to use, given one without problems. It may report problems of its own.
    func load(
        _ bytes: [UInt8], file: String, refusingEmpty emptyProblem: String? = nil,
        revising revise: (GatewayConfiguration, YAMLNode, inout SettingReader) -> GatewayConfiguration
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let serverTLSProblem = serverTLSProblem
        let loader = SettingLoader(
            environment: environment, readFile: readFile, workingDirectory: workingDirectory, pathProblem: pathProblem
        ) { value in
            (value as? GatewayServerConfiguration.TLS).flatMap { serverTLSProblem?($0) }
        }
        let (configuration, warnings) = try loader.load(
            bytes, file: file, as: GatewayConfiguration.settings, refusingEmpty: emptyProblem, revising: revise)
        return LoadedConfiguration(configuration: configuration, warnings: warnings, file: file)
    }
}

/// A valid configuration.
package struct LoadedConfiguration: Sendable {
    /// The configuration.
    package var configuration: GatewayConfiguration
    /// Settings that are allowed but risky.
    ///
    /// They are logged at every start.
    package var warnings: [ConfigurationProblem]
    /// The name of the file, as the user gave it.
    package var file: String

    /// Throws an error if other components found problems that the file does not show by itself.
    ///
    /// - Parameter problems: The problems. If there are none, the function returns.
    package func refuse(for problems: [ConfigurationProblem]) throws(ConfigurationError) {
        guard !problems.isEmpty else { return }
        throw ConfigurationError(file: file, problems: problems)
    }
}
