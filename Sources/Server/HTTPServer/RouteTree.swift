import HTTPTypes

/// The patterns of a router as a tree of segments: one dictionary lookup for each segment.
struct RouteTree {
    /// A route's handler with its pattern and the names of its parameters.
    struct Endpoint {
        let pattern: String
        let parameterNames: [String]
        let handler: Route.Handler
    }

    /// The endpoints of one pattern, by method.
    struct Methods {
        var byMethod: [HTTPRequest.Method: Endpoint] = [:]
        var any: Endpoint?

        var isEmpty: Bool { byMethod.isEmpty && any == nil }

        /// The patterns of the endpoints, which may differ in the names of parameters.
        var patterns: Set<String> {
            Set(byMethod.values.map(\.pattern)).union(any.map { [$0.pattern] } ?? [])
        }
    }

    private struct Node {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var rest = Methods()
        var methods = Methods()
    }

    private enum Segment {
        case literal(String)
        case parameter
        case rest
    }

    private var nodes = [Node()]

    // MARK: Building

    mutating func insert(_ route: Route) throws(RouteError) {
        let (segments, names) = try Self.parse(route.pattern)
        let endpoint = Endpoint(pattern: route.pattern, parameterNames: names, handler: route.handler)
        var node = 0
        for segment in segments {
            switch segment {
            case .literal(let text): node = child(of: node, literal: text)
            case .parameter: node = parameterChild(of: node)
            case .rest:
                try Self.set(endpoint, for: route, in: &nodes[node].rest)
                return
            }
        }
        try Self.set(endpoint, for: route, in: &nodes[node].methods)
    }

    private static func set(_ endpoint: Endpoint, for route: Route, in methods: inout Methods) throws(RouteError) {
        let displaced: Endpoint?
        if let method = route.method {
            displaced = methods.byMethod.updateValue(endpoint, forKey: method)
        } else {
            displaced = methods.any
            methods.any = endpoint
        }
        guard displaced == nil else { throw RouteError(code: .duplicate, pattern: route.pattern) }
    }

    private mutating func child(of node: Int, literal: String) -> Int {
        if let child = nodes[node].literals[literal] { return child }
        nodes.append(Node())
        nodes[node].literals[literal] = nodes.count - 1
        return nodes.count - 1
    }

    private mutating func parameterChild(of node: Int) -> Int {
        if let child = nodes[node].parameter { return child }
        nodes.append(Node())
        nodes[node].parameter = nodes.count - 1
        return nodes.count - 1
    }

    private static func parse(_ pattern: String) throws(RouteError) -> (segments: [Segment], names: [String]) {
        guard pattern.hasPrefix("/") else { throw RouteError(code: .notAbsolute, pattern: pattern) }
        let texts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var segments: [Segment] = []
        var names: [String] = []
        for (index, text) in texts.enumerated() {
            guard text.contains("{") || text.contains("}") else {
                segments.append(.literal(String(text)))
                continue
            }
            guard text.hasPrefix("{"), text.hasSuffix("}") else {
                throw RouteError(code: .malformedParameter, pattern: pattern)
            }
            var name = text.dropFirst().dropLast()
            let isRest = name.hasSuffix("...")
            if isRest { name.removeLast(3) }
            guard !name.isEmpty, !name.contains("{"), !name.contains("}"), !isRest || index == texts.count - 1 else {
                throw RouteError(code: .malformedParameter, pattern: pattern)
            }
            guard !names.contains(String(name)) else {
                throw RouteError(code: .repeatedParameter, pattern: pattern)
            }
            names.append(String(name))
            segments.append(isRest ? .rest : .parameter)
        }
        return (segments, names)
    }

    // MARK: Finding

    /// Returns the endpoints that match a path, with the values of their parameters.
    func find(_ segments: [String]) -> (methods: Methods, values: [String])? {
        var values: [String] = []
        guard let methods = find(segments[...], from: 0, values: &values) else { return nil }
        return (methods, values)
    }

    /// Searches a subtree.
    ///
    /// The depth is limited by the longest pattern, whatever the length of the path.
    private func find(_ segments: ArraySlice<String>, from node: Int, values: inout [String]) -> Methods? {
        // Not a copy of the node: each of its members would be retained and released for each request.
        guard let segment = segments.first else {
            return nodes[node].methods.isEmpty ? nil : nodes[node].methods
        }
        let rest = segments.dropFirst()
        if let child = nodes[node].literals[segment], let found = find(rest, from: child, values: &values) {
            return found
        }
        if let child = nodes[node].parameter, !segment.isEmpty {
            values.append(segment)
            if let found = find(rest, from: child, values: &values) { return found }
            values.removeLast()
        }
        guard !nodes[node].rest.isEmpty else { return nil }
        values.append(segments.joined(separator: "/"))
        return nodes[node].rest
    }
}
