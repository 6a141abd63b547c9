import JSON
import YAML

/// What the reading of settings has at hand: where it is, and what it found wrong.
struct SettingReader {
    /// The text of a scalar.
    struct Scalar {
        /// The text.
        var text: String
        /// The text as a message may show it.
        var shown: String
    }

    /// An environment variable that has replaced a setting.
    struct Override {
        var path: YAMLPath
        var variable: String
    }

    /// What is wrong so far.
    private(set) var problems: [ConfigurationProblem]
    /// What is allowed, but has to be known.
    private(set) var warnings: [ConfigurationProblem] = []
    /// What keeps a directory from being written to, if anything; `nil` when directories are not looked at.
    let directoryProblem: (@Sendable (String) -> String?)?

    /// The largest file that is read for a setting, in bytes.
    static let maxFileBytes = 1 << 20

    /// How many problems are told.
    static let maxProblems = 1000

    private let written: [YAMLMark: String]
    private let incomplete: Set<YAMLMark>
    private let overrides: [Override]
    private let readFile: @Sendable (String) throws -> [UInt8]
    private var path = YAMLPath()
    private var location = ConfigurationProblem.Location.file(.start)

    init(
        _ tree: InterpolatedTree, overrides: [Override], readFile: @escaping @Sendable (String) throws -> [UInt8],
        directoryProblem: (@Sendable (String) -> String?)?
    ) {
        problems = tree.problems
        written = tree.written
        incomplete = tree.incomplete
        self.overrides = overrides
        self.readFile = readFile
        self.directoryProblem = directoryProblem
    }

    /// Goes one step down for the time of `body`.
    mutating func enter<Result>(
        _ step: YAMLPath.Step, _ node: YAMLNode?, _ body: (inout SettingReader) -> Result
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

    /// Reports what is wrong with the setting that is being read.
    mutating func report(_ message: String) {
        add(ConfigurationProblem(location, path, message))
    }

    /// Reports what is wrong with a setting below the one that is being read, or with what keeps it from being there.
    ///
    /// - Parameters:
    ///   - keys: The way to the setting.
    ///   - node: The node that is being read.
    mutating func report(_ message: String, at keys: String..., in node: YAMLNode?) {
        add(problem(message, at: keys.map { .key($0) }, in: node))
    }

    /// Reports what is wrong with a setting below the one that is being read, items of lists on the way to it.
    ///
    /// - Parameters:
    ///   - steps: The way to the setting.
    ///   - node: The node that is being read.
    mutating func report(_ message: String, at steps: [YAMLPath.Step], in node: YAMLNode?) {
        add(problem(message, at: steps, in: node))
    }

    /// Tells of what is allowed, but has to be known: a setting below the one that is being read.
    mutating func warn(_ message: String, at keys: String..., in node: YAMLNode?) {
        warnings.append(problem(message, at: keys.map { .key($0) }, in: node))
    }

    /// Reports what is wrong with a key.
    mutating func report(_ message: String, atKeyOf member: YAMLMember) {
        let path = path.appending(.key(member.key))
        let place = member.keyMark.map { ConfigurationProblem.Location.file($0) } ?? location
        add(ConfigurationProblem(place, path, message))
    }

    /// Reports a key that is none of the names there are, with the name that may have been meant.
    mutating func reportUnknown(_ member: YAMLMember, among names: [String]) {
        let match = closestMatch(to: member.key, among: names)
        report(match.map { "unknown setting; did you mean \($0)?" } ?? "unknown setting", atKeyOf: member)
    }

    /// Whether nothing is wrong with a setting below the one that is being read: what is worth a check with others.
    func isSound(_ keys: String...) -> Bool {
        let path = path.appending(YAMLPath(keys: keys))
        return !problems.contains { $0.path.hasPrefix(path) }
    }

    /// Nobody reads thousands of problems, and looking for one among them takes time.
    private mutating func add(_ problem: ConfigurationProblem) {
        guard problems.count <= Self.maxProblems else { return }
        if problems.count < Self.maxProblems {
            problems.append(problem)
        } else {
            problems.append(ConfigurationProblem(problem.location, YAMLPath(), "there are more problems than these"))
        }
    }

    private func problem(_ message: String, at steps: [YAMLPath.Step], in node: YAMLNode?) -> ConfigurationProblem {
        var (place, path, node) = (location, path, node)
        for step in steps {
            path.push(step)
            node = node?[YAMLPath([step])]
            place = location(of: node, at: path) ?? place
        }
        return ConfigurationProblem(place, path, message)
    }

    private func location(of node: YAMLNode?, at path: YAMLPath) -> ConfigurationProblem.Location? {
        if let mark = node?.mark { return .file(mark) }
        guard node != nil, let override = overrides.first(where: { path.hasPrefix($0.path) }) else { return nil }
        return .variable(override.variable)
    }

    // MARK: Files

    /// What is in a file, or `nil` when it cannot be read, which is reported.
    ///
    /// The path is not repeated: it may be a secret in the wrong place.
    mutating func contents(of path: String) -> [UInt8]? {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path)
        } catch {
            report("cannot read the file: \(error)")
            return nil
        }
        guard bytes.count <= Self.maxFileBytes else {
            report("the file has more than \(Self.maxFileBytes) bytes")
            return nil
        }
        return bytes
    }

    // MARK: Nodes

    /// The text of a scalar, or `nil` when there is none, which is reported.
    mutating func scalar(of node: YAMLNode, expecting shape: ScalarShape) -> Scalar? {
        if let mark = node.mark, incomplete.contains(mark) { return nil }
        guard case .scalar(let scalar) = node.content, !scalar.isNull else {
            report("expected \(shape.expectation), found \(kind(of: node))")
            return nil
        }
        return Scalar(text: scalar.text, shown: shape.isSecret ? "another value" : shown(scalar, of: node))
    }

    /// Whether a scalar holds what interpolation has put in: then it may be a secret.
    func isInterpolated(_ node: YAMLNode) -> Bool {
        node.mark.map { written[$0] != nil } ?? false
    }

    /// A scalar as a message may show it.
    ///
    /// What was put in stays out of it: it may be a secret in the wrong place.
    private func shown(_ scalar: YAMLScalar, of node: YAMLNode) -> String {
        guard let text = node.mark.flatMap({ written[$0] }) else { return YAMLText.quoted(scalar.text, limit: 40) }
        return "another value in \(YAMLText.quoted(text, limit: 40))"
    }

    /// The members of a mapping; none for a node that is missing, null or, which is reported, something else.
    mutating func mapping(of node: YAMLNode?) -> YAMLMapping {
        guard let node, !node.isNull else { return YAMLMapping() }
        guard let mapping = node.mapping else {
            report("expected a mapping, found \(kind(of: node))")
            return YAMLMapping()
        }
        return mapping
    }

    /// What a node is, for "expected a list, found …".
    func kind(of node: YAMLNode) -> String {
        switch node.content {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar(let scalar): scalar.isNull ? "nothing" : "text"
        }
    }
}
