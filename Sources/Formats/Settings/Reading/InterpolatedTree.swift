import ErrandYAML

/// A tree of nodes whose scalars are interpolated.
///
/// Keys are not interpolated, because they are names of settings.
struct InterpolatedTree {
    /// The tree.
    ///
    /// A scalar that could not be interpolated is unchanged.
    private(set) var root: YAMLNode
    /// The problems of scalars that could not be interpolated.
    private(set) var problems: [ConfigurationProblem] = []
    /// The original text of each scalar into which something was inserted, by location.
    private(set) var written: [YAMLMark: String] = [:]
    /// The locations of scalars that could not be interpolated.
    private(set) var incomplete: Set<YAMLMark> = []

    private var interpolation: Interpolation
    private var path = YAMLPath()

    init(_ root: YAMLNode, _ interpolation: Interpolation) {
        self.root = root
        self.interpolation = interpolation
        self.root = expand(root)
    }

    /// Replaces the node at a path of keys; see ``YAMLNode``.
    mutating func replace(_ keys: ArraySlice<String>, _ change: (YAMLNode?) -> YAMLNode) {
        root.replace(keys, change)
    }

    /// Returns the text of the file that an environment variable names; `nil` if it cannot be read, which is reported.
    ///
    /// - Parameter keys: The path of the setting that gets the text.
    mutating func text(ofFile file: String, namedBy variable: String, for keys: [String]) -> String? {
        do throws(Interpolation.Failure) {
            return try interpolation.contents(of: file)
        } catch {
            report(error.message, of: variable, for: keys)
            return nil
        }
    }

    /// Reports a problem of an environment variable.
    mutating func report(_ message: String, of variable: String, for keys: [String]) {
        problems.add(
            ConfigurationProblem(location: .variable(variable), path: YAMLPath(keys: keys), message: message))
    }

    private mutating func expand(_ node: YAMLNode) -> YAMLNode {
        var node = node
        switch node.content {
        case .scalar(let scalar):
            if let mark = node.mark, scalar.text.utf8.contains(UInt8(ascii: "$")) {
                node.content = .scalar(expand(scalar, at: mark))
            }
        case .sequence(let items):
            node.content = .sequence(items.enumerated().map { index, item in expand(item, .index(index)) })
        case .mapping(var mapping):
            for member in mapping.members {
                mapping.set(member.key, to: expand(member.value, .key(member.key)))
            }
            node.content = .mapping(mapping)
        }
        return node
    }

    private mutating func expand(_ node: YAMLNode, _ step: YAMLPath.Step) -> YAMLNode {
        path.push(step)
        defer { path.pop() }
        return expand(node)
    }

    private mutating func expand(_ scalar: YAMLScalar, at mark: YAMLMark) -> YAMLScalar {
        // That too much is inserted is reported once. What follows is neither read nor inserted.
        guard !interpolation.isExhausted else {
            incomplete.insert(mark)
            return scalar
        }
        do throws(Interpolation.Failure) {
            let expanded = try interpolation.expand(scalar.text)
            // Without quotes an empty text is null, with which many settings give up a protection. A variable that was
            // forgotten must not do that.
            if let emptiness = expanded.emptiness, !scalar.isQuoted { throw emptiness }
            if expanded.hasInsertion { written[mark] = scalar.text }
            return YAMLScalar(expanded.text, isQuoted: scalar.isQuoted)
        } catch {
            // An alias repeats one scalar in several settings. One problem is enough.
            if incomplete.insert(mark).inserted {
                problems.add(ConfigurationProblem(location: .file(mark), path: path, message: error.message))
            }
            return scalar
        }
    }
}
