/// Builds the tree of nodes from the parser's events, within the limits.
struct YAMLComposer: ~Copyable {
    private var parser: YAMLParser
    private let limits: YAMLLimits
    private var anchors: [String: Anchor] = [:]
    private var nodeCount = 0
    private var depth = 0
    private var path = YAMLPath()
    private var problems: [YAMLError] = []

    /// What an anchor stands for.
    private enum Anchor {
        /// A node that is not complete yet.
        case open
        /// A node, and how many nodes it is made of.
        case node(YAMLNode, count: Int)
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
                return YAMLDocument(root: root ?? YAMLNode(.mapping(YAMLMapping()), mark: .start), problems: problems)
            case .documentStart where root != nil:
                throw YAMLError(.documents, at: event.mark, "a second document begins here: only one is read")
            case .documentStart:
                root = try node(try parser.next())
            default:
                // The start of the stream and the end of the document say nothing.
                continue
            }
        }
    }

    /// Reads the node that an event begins.
    private mutating func node(_ event: YAMLEvent) throws(YAMLError) -> YAMLNode {
        if case .alias(let name) = event.kind {
            return try aliased(name, at: event.mark)
        }
        try count(1, at: event.mark)
        let first = nodeCount
        if let anchor = event.anchor { anchors[anchor] = .open }
        let node = YAMLNode(try content(event), mark: event.mark)
        if let anchor = event.anchor { anchors[anchor] = .node(node, count: nodeCount - first + 1) }
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
            // The parser's grammar brings none of these where a node begins.
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
                problems.append(error(.key, at: event.mark, "duplicate key, first used at \(place)"))
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

    /// Reads a key, which has to be a scalar: no setting has a name that is a list.
    private mutating func key(_ event: YAMLEvent) throws(YAMLError) -> YAMLScalar {
        guard case .scalar(let scalar) = try node(event).content else {
            throw error(.key, at: event.mark, "a key has to be text")
        }
        return scalar
    }

    /// The mappings that a merge key names: one, or a sequence in which earlier ones win
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
        case .node(let node, let size):
            try count(size, at: mark)
            return node
        case .open:
            throw error(.alias, at: mark, "the alias *\(name) stands for a node that it is a part of")
        case nil:
            // Its name may be a secret that somebody has forgotten to quote.
            throw error(
                .alias, at: mark, "the alias has no anchor before it; a text that begins with * has to be quoted")
        }
    }

    /// Settings are typed by their declarations, so a tag could only contradict or repeat them: the repetition is let
    /// through, `!!str` on scalars, `!!seq` on sequences and `!!map` on mappings.
    private mutating func check(_ event: YAMLEvent, accepts name: String) {
        let prefix = "tag:yaml.org,2002:"
        guard let tag = event.tag, tag != "!", tag != prefix + name else { return }
        guard tag.hasPrefix(prefix) else {
            let message = "tags are not supported; a text that begins with ! has to be quoted"
            return problems.append(error(.tag, at: event.mark, message))
        }
        let shown = "!!" + tag.dropFirst(prefix.count)
        problems.append(error(.tag, at: event.mark, "the tag \(YAMLText.quoted(shown, limit: 64)) is not supported"))
    }

    private mutating func enter(_ event: YAMLEvent) throws(YAMLError) {
        guard depth < limits.maxDepth else {
            throw error(.limit, at: event.mark, "more than \(limits.maxDepth) mappings and sequences inside each other")
        }
        depth += 1
    }

    private mutating func count(_ nodes: Int, at mark: YAMLMark) throws(YAMLError) {
        guard nodes <= limits.maxNodes - nodeCount else {
            throw error(.limit, at: mark, "more than \(limits.maxNodes) values and keys, aliases expanded")
        }
        nodeCount += nodes
    }

    private func error(_ code: YAMLError.Code, at mark: YAMLMark, _ message: String) -> YAMLError {
        YAMLError(code, at: mark, path: path, message)
    }
}
