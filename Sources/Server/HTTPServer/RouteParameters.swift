/// The values of a route's parameters in one request.
public struct RouteParameters: Sendable, Hashable {
    private let names: [String]
    private let values: [String]

    init(names: [String], values: [String]) {
        self.names = names
        self.values = values
    }

    /// Creates parameters, for tests of a handler without a router.
    public init(_ parameters: KeyValuePairs<String, String> = [:]) {
        names = parameters.map(\.key)
        values = parameters.map(\.value)
    }

    /// Returns the decoded value of the parameter, or `nil` if the route has none with this name.
    public subscript(name: String) -> String? {
        guard let index = names.firstIndex(of: name), index < values.count else { return nil }
        return values[index]
    }
}
