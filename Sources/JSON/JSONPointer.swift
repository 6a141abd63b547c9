/// A place in a JSON document (RFC 6901): `/labels/team`, empty for the whole.
public struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The names and indices from the top down.
    public var tokens: [String]

    /// Creates a pointer; to the whole document by default.
    public init(_ tokens: [String] = []) {
        self.tokens = tokens
    }

    /// The pointer to a member of what this one points to.
    public func appending(_ name: String) -> JSONPointer {
        JSONPointer(tokens + [name])
    }

    /// The pointer to an item of what this one points to, counted from 0.
    public func appending(_ index: Int) -> JSONPointer {
        appending(String(index))
    }

    /// The pointer as text, `~` and `/` in names escaped (RFC 6901 §3).
    public var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }

    /// The value that this points to, `nil` when there is none.
    ///
    /// Of members of the same name it is the first.
    public func value(in root: JSONValue) -> JSONValue? {
        tokens.reduce(root) { value, token in
            switch value?.kind {
            case .object(let object): object[token]
            case .array(let items): Self.index(token, in: items).map { items[$0] }
            default: nil
            }
        }
    }

    // Without a sign and without leading zeros (RFC 6901 §4). `-`, the item after the last, is none.
    private static func index(_ token: String, in items: [JSONValue]) -> Int? {
        guard let index = Int(token), items.indices.contains(index), String(index) == token else { return nil }
        return index
    }
}
