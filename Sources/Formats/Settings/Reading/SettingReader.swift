import ErrandJSON
import ErrandText
package import ErrandYAML

/// The state of reading settings: the current path, and the problems found.
package struct SettingReader {
    /// The text of a scalar.
    package struct Scalar {
        /// The text.
        package var text: String
        /// The text as messages may show it.
        package var shown: String
    }

    /// An environment variable that has replaced a setting.
    struct Override {
        var path: YAMLPath
        var variable: String
    }

    /// The problems found so far.
    package private(set) var problems: [ConfigurationProblem]
    /// Settings that are allowed but risky.
    private(set) var warnings: [ConfigurationProblem] = []
    /// The folder in which relative paths begin; `nil` if it is not known.
    package let workingDirectory: String?
    /// Returns the problem of a path for its use; `nil` if paths are not checked.
    package let pathProblem: (@Sendable (String, PathUse) -> String?)?
    /// Returns the reason for which the program cannot use a value that is valid in itself; `nil` if it can.
    package let valueProblem: @Sendable (any Sendable) -> String?

    /// The most problems that are reported.
    package static let maxProblems = 1000

    private let refusal: (@Sendable (YAMLPath) -> String?)?
    private let written: [YAMLMark: String]
    private let incomplete: Set<YAMLMark>
    private let overrides: [Override]
    private let readFile: @Sendable (String) throws -> [UInt8]
    /// The files that were read, by path, so that all settings see the same version of each.
    private var files: [ExactText: Result<[UInt8], UnusableFile>] = [:]
    /// The settings that unknown keys most likely mean.
    private var misspelt: Set<YAMLPath> = []
    private var path = YAMLPath()
    private var location = ConfigurationProblem.Location.file(.start)

    init(
        _ tree: InterpolatedTree, overrides: [Override], readFile: @escaping @Sendable (String) throws -> [UInt8],
        workingDirectory: String?, pathProblem: (@Sendable (String, PathUse) -> String?)?,
        valueProblem: @escaping @Sendable (any Sendable) -> String?,
        refusal: (@Sendable (YAMLPath) -> String?)?
    ) {
        problems = tree.problems
        written = tree.written
        incomplete = tree.incomplete
        self.overrides = overrides
        self.readFile = readFile
        self.workingDirectory = workingDirectory
        self.pathProblem = pathProblem
        self.valueProblem = valueProblem
        self.refusal = refusal
    }

    /// Descends one step of the path, to a node, for the duration of `body`.
    package mutating func enter<Result>(
        _ step: YAMLPath.Step, node: YAMLNode?, _ body: (inout SettingReader) -> Result
    ) -> Result {
        let outer = location
        path.push(step)
        location = location(of: node, at: path) ?? outer
        defer {
            path.pop()
            location = outer
        }
        return body(&self)
    }

    /// Reports a problem of the current setting.
    package mutating func report(_ message: String) {
        problems.add(ConfigurationProblem(location: location, path: path, message: message))
    }

    /// Reports a problem of a setting below the current one.
    ///
    /// If the setting is missing, the problem is located at the closest node that exists.
    ///
    /// - Parameters:
    ///   - keys: The path of the setting.
    ///   - node: The node of the current setting.
    package mutating func report(_ message: String, at keys: String..., in node: YAMLNode?) {
        problems.add(problem(message, at: keys.map { .key($0) }, in: node))
    }

    /// Reports a problem of a setting below the current one, with list items on its path.
    ///
    /// - Parameters:
    ///   - steps: The path of the setting.
    ///   - node: The node of the current setting.
    package mutating func report(_ message: String, at steps: [YAMLPath.Step], in node: YAMLNode?) {
        problems.add(problem(message, at: steps, in: node))
    }

    /// Warns about a setting below the current one that is allowed but risky.
    package mutating func warn(_ message: String, at keys: String..., in node: YAMLNode?) {
        warnings.append(problem(message, at: keys.map { .key($0) }, in: node))
    }

    /// Reports a problem of a key.
    package mutating func report(_ message: String, atKeyOf member: YAMLMember) {
        let path = path.appending(.key(member.key))
        let place = member.keyMark.map { ConfigurationProblem.Location.file($0) } ?? location
        problems.add(ConfigurationProblem(location: place, path: path, message: message))
    }

    /// Reports an unknown key, and suggests the most similar known name.
    package mutating func reportUnknown(_ member: YAMLMember, among names: [String]) {
        let match = Remedy.setting(member.key, among: names)
        if let match, problems.count < Self.maxProblems { misspelt.insert(path.appending(.key(match))) }
        report(match.map { "unknown setting; did you mean \($0)?" } ?? "unknown setting", atKeyOf: member)
    }

    /// Returns the reason for which the program has no use for a setting of the current group; `nil` if it has.
    func reasonToRefuse(_ name: String) -> String? {
        refusal.flatMap { $0(path.appending(.key(name))) }
    }

    /// Returns true if a setting below the current one has no problem, so that checks across settings may use it.
    ///
    /// A setting whose name, or that of a group around it, is misspelt has a problem.
    package func isSound(_ keys: String...) -> Bool {
        isSound(keys.map { .key($0) })
    }

    /// Returns true if a setting below the current one has no problem, with list items on its path.
    package func isSound(_ steps: [YAMLPath.Step]) -> Bool {
        let path = path.appending(YAMLPath(steps))
        return !misspelt.contains { path.hasPrefix($0) } && !problems.contains { $0.path.hasPrefix(path) }
    }

    /// Returns true if a setting below the current one has the expected form, even if settings in it have problems.
    package func isReadable(_ keys: String...) -> Bool {
        let path = path.appending(YAMLPath(keys: keys))
        return !problems.contains { $0.path == path }
    }

    private func problem(_ message: String, at steps: [YAMLPath.Step], in node: YAMLNode?) -> ConfigurationProblem {
        var (place, path, node) = (location, path, node)
        for step in steps {
            path.push(step)
            node = node?[YAMLPath([step])]
            place = location(of: node, at: path) ?? place
        }
        return ConfigurationProblem(location: place, path: path, message: message)
    }

    private func location(of node: YAMLNode?, at path: YAMLPath) -> ConfigurationProblem.Location? {
        if let mark = node?.mark { return .file(mark) }
        guard node != nil, let override = overrides.first(where: { path.hasPrefix($0.path) }) else { return nil }
        return .variable(override.variable)
    }

    // MARK: Files

    /// Returns the contents of a file.
    ///
    /// Reports a file that cannot be read, and returns `nil`.
    ///
    /// The message does not contain the path, which may be a secret in the wrong place.
    package mutating func contents(of path: String) -> [UInt8]? {
        let key = ExactText(path)
        let content = files[key] ?? read(path)
        files[key] = content
        switch content {
        case .success(let bytes):
            return bytes
        case .failure(let problem):
            report(problem.message)
            return nil
        }
    }

    /// The reason for which the contents of a file cannot be used.
    private struct UnusableFile: Error {
        let message: String
    }

    private func read(_ path: String) -> Result<[UInt8], UnusableFile> {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path)
        } catch {
            return .failure(UnusableFile(message: "cannot read the file: \(error); \(Remedy.file(at: path))"))
        }
        guard bytes.count <= FileContent.maxBytes else {
            return .failure(UnusableFile(message: "the file has more than \(FileContent.maxBytes) bytes"))
        }
        return .success(bytes)
    }

    // MARK: Nodes

    /// Returns the text of a scalar.
    ///
    /// Reports any other node, and returns `nil`.
    package mutating func scalar(of node: YAMLNode, expecting shape: ScalarShape) -> Scalar? {
        if let mark = node.mark, incomplete.contains(mark) { return nil }
        guard case .scalar(let scalar) = node.content, !scalar.isNull else {
            report("expected \(shape.expectation), found \(kind(of: node))")
            return nil
        }
        return Scalar(text: scalar.text, shown: shape.isSecret ? "another value" : shown(scalar, of: node))
    }

    /// Returns true if interpolation inserted something into the scalar, which then may contain a secret.
    package func isInterpolated(_ node: YAMLNode) -> Bool {
        node.mark.map { written[$0] != nil } ?? false
    }

    /// Returns a scalar as messages may show it.
    ///
    /// Interpolated values are left out, because they may be secrets in the wrong place.
    private func shown(_ scalar: YAMLScalar, of node: YAMLNode) -> String {
        guard let text = node.mark.flatMap({ written[$0] }) else { return YAMLText.quoted(scalar.text, limit: 40) }
        return "another value in \(YAMLText.quoted(text, limit: 40))"
    }

    /// Returns the members of a mapping; none for a missing node, for null or, after a report, for any other node.
    ///
    /// - Parameter shorthand: The setting that a scalar in place of the mapping most likely means.
    package mutating func mapping(of node: YAMLNode?, shorthand: (name: String, isSecret: Bool)? = nil) -> YAMLMapping {
        guard let node, !node.isNull else { return YAMLMapping() }
        guard let mapping = node.mapping else {
            let remedy = shorthand.flatMap { self.remedy(of: node, meaning: $0) } ?? ""
            report("expected a mapping, found \(kind(of: node))\(remedy)")
            return YAMLMapping()
        }
        return mapping
    }

    /// Returns the end of the message for a scalar that most likely means a setting of the mapping in its place.
    ///
    /// It repeats only a short word or number, because other text may be a secret in the wrong place.
    private func remedy(of node: YAMLNode, meaning setting: (name: String, isSecret: Bool)) -> String? {
        guard case .scalar(let scalar) = node.content else { return nil }
        let isShort = (1...11).contains(scalar.text.utf8.count) && !isInterpolated(node) && !setting.isSecret
        let isPlain = scalar.text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        return "; did you mean {\(setting.name): \(isShort && isPlain ? scalar.text : "…")}?"
    }

    /// Returns the kind of a node, for "expected a list, found …".
    package func kind(of node: YAMLNode) -> String {
        switch node.content {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar(let scalar): scalar.isNull ? "nothing" : "text"
        }
    }
}
