package import ErrandYAML

/// Reads the text of a file into the structure that a group of settings fills.
///
/// It reads the outside world only through its properties, so that reading can be tried without side effects.
package struct SettingLoader: Sendable {
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
    /// If the property is `nil`, paths are not checked.
    package var pathProblem: (@Sendable (_ path: String, _ use: PathUse) -> String?)?
    /// Returns the reason for which the program cannot use a value that is valid in itself; `nil` if it can.
    package var valueProblem: @Sendable (_ value: any Sendable) -> String?
    /// Returns the reason for which the program has no use for a setting, given its path; `nil` if it has.
    ///
    /// Such a setting is refused. If the property is `nil`, the program has a use for all.
    package var refusal: (@Sendable (_ setting: YAMLPath) -> String?)?

    /// Creates a loader.
    ///
    /// By default no path and no value is checked, no setting refused, and the working directory is not known.
    package init(
        environment: [String: String], readFile: @escaping @Sendable (_ path: String) throws -> [UInt8],
        workingDirectory: String? = nil,
        pathProblem: (@Sendable (_ path: String, _ use: PathUse) -> String?)? = nil,
        valueProblem: @escaping @Sendable (_ value: any Sendable) -> String? = { _ in nil },
        refusal: (@Sendable (_ setting: YAMLPath) -> String?)? = nil
    ) {
        self.environment = environment
        self.readFile = readFile
        self.workingDirectory = workingDirectory
        self.pathProblem = pathProblem
        self.valueProblem = valueProblem
        self.refusal = refusal
    }

    /// Reads a file, and lets the caller revise the result.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - file: The name of the file, for messages.
    ///   - group: All settings of the file.
    ///   - emptyProblem: The problem of a text without content; `nil` if it is allowed, and means the defaults.
    ///   - revise: Returns the structure to use, given one without problems. It may report problems of its own.
    /// - Returns: The structure, and the settings that are allowed but risky.
    /// - Throws: All problems together, provided the text is valid YAML.
    package func load<Root>(
        _ bytes: [UInt8], file: String, as group: SettingGroup<Root>, refusingEmpty emptyProblem: String? = nil,
        revising revise: (Root, YAMLNode, inout SettingReader) -> Root = { root, _, _ in root }
    ) throws(ConfigurationError) -> (root: Root, warnings: [ConfigurationProblem]) {
        let document: YAMLDocument
        do throws(YAMLError) {
            document = try YAMLReader.parse(bytes)
        } catch {
            throw ConfigurationError(file: file, problems: [ConfigurationProblem(error)])
        }
        if document.isEmpty, let emptyProblem {
            let problem = ConfigurationProblem(location: .file(.start), path: YAMLPath(), message: emptyProblem)
            throw ConfigurationError(file: file, problems: [problem])
        }
        let interpolation = Interpolation(environment: environment, readFile: readFile)
        var tree = InterpolatedTree(document.root, interpolation)
        let overrides = tree.override(group.shape, with: environment)
        var reader = SettingReader(
            tree, overrides: overrides, readFile: readFile, workingDirectory: workingDirectory,
            pathProblem: pathProblem, valueProblem: valueProblem, refusal: refusal)
        var root = group.read(tree.root, onto: group.initial, &reader)
        if document.problems.isEmpty, reader.problems.isEmpty {
            root = revise(root, tree.root, &reader)
        }

        var problems: [ConfigurationProblem] = []
        for problem in document.problems.map({ ConfigurationProblem($0) }) + reader.problems { problems.add(problem) }
        guard problems.isEmpty else {
            throw ConfigurationError(file: file, problems: problems, partial: root)
        }
        return (root, reader.warnings)
    }
}
