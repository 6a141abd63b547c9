import ErrandYAML

extension FuzzTarget {
    /// Fuzzes YAML text: limits are respected, problems have locations, and a tree round-trips.
    static let yaml = FuzzTarget("yaml") { input in
        var limits = YAMLLimits()
        limits.maxDepth = 8
        limits.maxNodes = 200
        limits.maxScalarBytes = 256
        let document: YAMLDocument
        do throws(YAMLError) {
            document = try YAMLReader.parse(input, limits: limits)
        } catch {
            try expect(error.mark.line >= 1 && error.mark.column >= 1, "the place of an error: \(error)")
            try expect(!error.message.isEmpty, "an error has a message")
            return
        }
        try expect(YAMLTree.depth(of: document.root) <= limits.maxDepth, "the depth limit holds")
        try expect(YAMLTree.nodes(in: document.root) <= limits.maxNodes, "the limit of nodes holds")
        guard document.problems.isEmpty else { return }
        let text = YAMLWriter.text(of: document.root)
        let again: YAMLDocument
        do throws(YAMLError) {
            again = try YAMLReader.parse(Array(text.utf8))
        } catch {
            throw BrokenPromise(description: "the written text is valid: \(error) in \(text.debugDescription)")
        }
        try expect(again.problems.isEmpty, "the written text has no problems: \(again.problems)")
        try expect(
            YAMLTree.bare(again.root) == YAMLTree.bare(document.root),
            "a tree round-trips: \(text.debugDescription)")
    }
}

/// Functions on YAML trees for the checks.
private enum YAMLTree {
    /// Returns the tree without locations, and without quotes that have no effect.
    static func bare(_ node: YAMLNode) -> YAMLNode {
        switch node.content {
        case .scalar(let scalar): node.isNull ? .null : .quoted(scalar.text)
        case .sequence(let items): .sequence(items.map(bare))
        case .mapping(let mapping): .mapping(mapping.members.map { ($0.key, bare($0.value)) })
        }
    }

    static func depth(of node: YAMLNode) -> Int {
        switch node.content {
        case .scalar: 0
        case .sequence(let items): 1 + (items.map(depth).max() ?? 0)
        case .mapping(let mapping): 1 + (mapping.members.map { depth(of: $0.value) }.max() ?? 0)
        }
    }

    static func nodes(in node: YAMLNode) -> Int {
        switch node.content {
        case .scalar: 1
        case .sequence(let items): items.reduce(1) { $0 + nodes(in: $1) }
        case .mapping(let mapping): mapping.members.reduce(1) { $0 + 1 + nodes(in: $1.value) }
        }
    }
}
