import YAML

/// Makes a configuration out of a YAML text and the environment.
///
/// Nothing outside is touched but through what it is given, so that a reload can be tried without effect.
package struct ConfigurationLoader: Sendable {
    /// The environment, for `${NAME}` and for the variables that win over the file.
    ///
    /// Empty variables of the second kind count as none.
    package var environment: [String: String]
    /// Reads a whole file, for `${file:…}`, certificates and keys.
    ///
    /// What it throws is shown.
    package var readFile: @Sendable (_ path: String) throws -> [UInt8]
    /// Says what keeps a directory from being written to, if anything: `is read-only`.
    ///
    /// A directory that is missing and can be made is no problem. `nil`: directories are not looked at.
    package var directoryProblem: (@Sendable (_ path: String) -> String?)?

    /// Creates a loader.
    package init(
        environment: [String: String], readFile: @escaping @Sendable (_ path: String) throws -> [UInt8],
        directoryProblem: (@Sendable (_ path: String) -> String?)? = nil
    ) {
        self.environment = environment
        self.readFile = readFile
        self.directoryProblem = directoryProblem
    }

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: The name of the file, for messages.
    /// - Throws: All problems at once, as far as the text is YAML.
    package func load(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> LoadedConfiguration {
        try load(bytes, file: file) { configuration, _, _ in configuration }
    }

    /// Reads a configuration that somebody has the last word on.
    ///
    /// - Parameter revise: Makes of what was read, when nothing is wrong with it, what is to be used; it may report
    ///   problems of its own.
    func load(
        _ bytes: [UInt8], file: String,
        revising revise: (GatewayConfiguration, YAMLNode, inout SettingReader) -> GatewayConfiguration
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let document: YAMLDocument
        do throws(YAMLError) {
            document = try YAMLReader.parse(bytes)
        } catch {
            throw ConfigurationError(file: file, problems: [ConfigurationProblem(error)])
        }
        let interpolation = Interpolation(environment: environment, readFile: readFile)
        var tree = InterpolatedTree(document.root, interpolation)
        let overrides = tree.override(with: environment)
        var reader = SettingReader(
            tree, overrides: overrides, readFile: readFile, directoryProblem: directoryProblem)
        let group = GatewayConfiguration.settings
        var configuration = group.read(tree.root, onto: group.initial, &reader)
        if document.problems.isEmpty, reader.problems.isEmpty {
            configuration = revise(configuration, tree.root, &reader)
        }

        let problems = document.problems.map { ConfigurationProblem($0) } + reader.problems
        guard problems.isEmpty else {
            throw ConfigurationError(file: file, problems: problems.sorted(by: ConfigurationProblem.isBefore))
        }
        return LoadedConfiguration(configuration: configuration, warnings: reader.warnings, file: file)
    }
}
