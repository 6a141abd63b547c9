/// A fault of a route pattern, or a conflict between two routes.
public struct RouteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of mistake.
    public enum Code: Sendable, Hashable {
        /// The pattern does not start with `/`.
        case notAbsolute
        /// A brace that is not around a whole segment, an empty name, or a rest that is not last.
        case malformedParameter
        /// A name that occurs twice in one pattern.
        case repeatedParameter
        /// Another route has the same method and an equivalent pattern.
        case duplicate
    }

    /// The kind of mistake.
    public let code: Code
    /// The pattern with the mistake.
    public let pattern: String

    /// A description of the mistake.
    public var description: String {
        switch code {
        case .notAbsolute: "route \(pattern): a pattern must start with \"/\""
        case .malformedParameter: "route \(pattern): a parameter is a whole segment {name}, or {name...} at the end"
        case .repeatedParameter: "route \(pattern): a parameter name occurs twice"
        case .duplicate: "route \(pattern): another route has the same method and an equivalent pattern"
        }
    }
}
