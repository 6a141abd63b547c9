/// A builder of the tree of nodes from the parser's events, within the limits.
struct YAMLComposer: ~Copyable {
    private var parser: YAMLParser
    private let limits: YAMLLimits
    private var anchors: [String: Anchor] = [:]
    private var size = Size()
    /// The number of mappings and sequences around the current place.
    private var depth = 0
    /// The greatest depth, with aliases expanded, since the innermost node with an anchor began.
    private var deepest = 0
    private var path = YAMLPath()
    private var problems: [YAMLError] = []

    /// The meaning of an anchor.
    private enum Anchor {
        /// A node that is incomplete.
        case open
        /// A complete node with its size, and the number of its levels of mappings and sequences.
        case node(YAMLNode, Size, height: Int)
    }

    /// The size of a node with aliases expanded.
    private struct Size {
        var nodes = 0
        /// The bytes of all scalars.
        var bytes = 0

        func since(_ before: Size) -> Size {
            Size(nodes: nodes - before.nodes, bytes: bytes - before.bytes)
        }
    }

    init(_ parser: consuming YAMLParser, limits: YAMLLimits) {
        self.parser = parser
        self.limits = limits
    }

    /// Reads the whole stream.
    mutating func document() throws(YAMLError) -> YAMLDocument {
        var root: YAMLNode?
        while true {
            let event = try parser.next()
            switch event.kind {
            case .streamEnd:
                return YAMLDocument(
                    root: root ?? YAMLNode(.mapping(YAMLMapping()), mark: .start), isEmpty: root?.isNull ?? true,
                    problems: problems)
            case .documentStart where root != nil:
                throw YAMLError(.documents, at: event.mark, "a second document begins here; expected only one")
            case .documentStart:
                root = try node(try parser.next())
            default:
                // The start of the stream and the end of the document carry no information.
                continue
            }
        }
    }

    /// Reads the node that begins with an event.
    private mutating func node(_ event: YAMLEvent) throws(YAMLError) -> YAMLNode {
        if case .alias(let name) = event.kind {
            return try aliased(name, at: event.mark)
        }
        let before = size
        try count(Size(nodes: 1, bytes: event.scalarBytes), at: event.mark)
        guard let anchor = event.anchor else { return YAMLNode(try content(event), mark: event.mark) }
        anchors[anchor] = .open
        let deepestBefore = deepest
        deepest = depth
        let node = YAMLNode(try content(event), mark: event.mark)
        anchors[anchor] = .node(node, size.since(before), height: deepest - depth)
        deepest = max(deepest, deepestBefore)
        return node
    }

    private mutating func content(_ event: YAMLEvent) throws(YAMLError) -> YAMLNode.Content {
        switch event.kind {
        case .scalar(var scalar):
            guard scalar.text.utf8.count <= limits.maxScalarBytes else {
                throw error(.limit, at: event.mark, "the scalar has more than \(limits.maxScalarBytes) bytes")
            }
            if event.tag == "!" || event.tag == "tag:yaml.org,2002:str" {
                scalar.isQuoted = true
            } else {
                check(event, accepts: "str")
            }
            return .scalar(scalar)
        case .sequenceStart:
            check(event, accepts: "seq")
            try enter(event)
            defer { depth -= 1 }
            return .sequence(try items())
        case .mappingStart:
            check(event, accepts: "map")
            try enter(event)
            defer { depth -= 1 }
            return .mapping(try members())
        case .alias, .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
            // The parser's grammar produces none of these at the start of a node.
            throw error(.syntax, at: event.mark, "expected a value")
        }
    }

    private mutating func items() throws(YAMLError) -> [YAMLNode] {
        var items: [YAMLNode] = []
        while true {
            let event = try parser.next()
            if case .sequenceEnd = event.kind { return items }
            path.push(.index(items.count))
            items.append(try node(event))
            path.pop()
        }
    }

    private mutating func members() throws(YAMLError) -> YAMLMapping {
        var mapping = YAMLMapping()
        var merge: YAMLMember?
        while true {
            let event = try parser.next()
            if case .mappingEnd = event.kind { break }
            let key = try key(event)
            path.push(.key(key.text))
            defer { path.pop() }
            let member = YAMLMember(key: key.text, keyMark: event.mark, value: try node(try parser.next()))
            let isMerge = member.key == "<<" && !key.isQuoted
            let present = isMerge ? merge : mapping.append(member)
            if let place = present?.keyMark {
                problems.append(error(.key, at: event.mark, "duplicate key; first used at \(place)"))
            } else if isMerge {
                merge = member
            }
        }
        if let merge {
            for source in sources(of: merge) {
                source.members.forEach { mapping.append($0) }
            }
        }
        return mapping
    }

    /// Reads a key, which must be a scalar: the name of a setting is never a list.
    private mutating func key(_ event: YAMLEvent) throws(YAMLError) -> YAMLScalar {
        guard case .scalar(let scalar) = try node(event).content else {
            throw error(.key, at: event.mark, "a key must be text")
        }
        return scalar
    }

    /// Returns the mappings of a merge key: one mapping, or a sequence in which earlier ones take precedence
    /// (https://yaml.org/type/merge.html).
    private mutating func sources(of merge: YAMLMember) -> [YAMLMapping] {
        let candidates: [YAMLNode]
        if case .sequence(let items) = merge.value.content { candidates = items } else { candidates = [merge.value] }
        var sources: [YAMLMapping] = []
        for candidate in candidates {
            if let mapping = candidate.mapping {
                sources.append(mapping)
            } else if let mark = candidate.mark {
                problems.append(error(.merge, at: mark, "<< takes a mapping or a list of mappings"))
            }
        }
        return sources
    }

    private mutating func aliased(_ name: String, at mark: YAMLMark) throws(YAMLError) -> YAMLNode {
        switch anchors[name] {
        case .node(let node, let size, let height):
            try count(size, at: mark)
            guard height <= limits.maxDepth - depth else { throw tooDeep(at: mark) }
            deepest = max(deepest, depth + height)
            return node
        case .open:
            throw error(.alias, at: mark, "the alias *\(name) refers to a node that contains it")
        case nil:
            // The name of the alias may be a secret that was not quoted by mistake.
            throw error(
                .alias, at: mark, "the alias has no anchor before it; quote text that begins with *")
        }
    }

    /// Reports a tag unless it repeats the type of the node.
    ///
    /// Settings have declared types, so that a tag could only contradict or repeat them. Repetitions are accepted:
    /// `!!str` on scalars, `!!seq` on sequences and `!!map` on mappings.
    private mutating func check(_ event: YAMLEvent, accepts name: String) {
        let prefix = "tag:yaml.org,2002:"
        guard let tag = event.tag, tag != "!", tag != prefix + name else { return }
        let type = String(tag.dropFirst(prefix.count))
        guard tag.hasPrefix(prefix), Self.types.contains(type) else {
            // The name of the tag may be a secret that was not quoted by mistake.
            let message = "tags are not supported; quote text that begins with !"
            return problems.append(error(.tag, at: event.mark, message))
        }
        problems.append(error(.tag, at: event.mark, "the tag \"!!\(type)\" is not supported"))
    }

    /// The names of the types of YAML 1.1 (https://yaml.org/type/).
    private static let types: Set = [
        "binary", "bool", "float", "int", "map", "merge", "null", "omap", "pairs", "seq", "set", "str", "timestamp",
        "value", "yaml",
    ]

    private mutating func enter(_ event: YAMLEvent) throws(YAMLError) {
        guard depth < limits.maxDepth else { throw tooDeep(at: event.mark) }
        depth += 1
        deepest = max(deepest, depth)
    }

    private func tooDeep(at mark: YAMLMark) -> YAMLError {
        error(
            .limit, at: mark,
            "more than \(limits.maxDepth) levels of nested mappings and sequences, aliases expanded")
    }

    private mutating func count(_ more: Size, at mark: YAMLMark) throws(YAMLError) {
        guard more.nodes <= limits.maxNodes - size.nodes else {
            throw error(.limit, at: mark, "more than \(limits.maxNodes) values and keys, aliases expanded")
        }
        guard more.bytes <= limits.maxTotalScalarBytes - size.bytes else {
            throw error(
                .limit, at: mark, "more than \(limits.maxTotalScalarBytes) bytes of values and keys, aliases expanded")
        }
        size.nodes += more.nodes
        size.bytes += more.bytes
    }

    private func error(_ code: YAMLError.Code, at mark: YAMLMark, _ message: String) -> YAMLError {
        YAMLError(code, at: mark, path: path, message)
    }
}

extension YAMLEvent {
    /// The size of a scalar, in bytes.
    fileprivate var scalarBytes: Int {
        if case .scalar(let scalar) = kind { scalar.text.utf8.count } else { 0 }
    }
}
