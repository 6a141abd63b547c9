import ErrandHTTPGrammar

/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
public enum EntityTagCondition: Sendable, Hashable {
    /// `*`: any existing representation.
    case any
    /// One of these tags.
    case tags([EntityTag])

    /// Parses a field value; returns `nil` if it is malformed.
    ///
    /// The values of repeated fields must be joined with commas before.
    public init?(_ value: String) {
        var rest = value[...].trimmingOptionalWhitespace()
        guard rest != "*" else {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        while !rest.isEmpty {
            // A list may have empty elements (RFC 9110 §5.6.1.2).
            if rest.first == "," {
                rest = rest.dropFirst().trimmingOptionalWhitespace()
                continue
            }
            guard let tag = EntityTag.take(from: &rest) else { return nil }
            tags.append(tag)
            rest = rest.trimmingOptionalWhitespace()
            guard rest.isEmpty || rest.first == "," else { return nil }
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }

    /// Returns true if `If-None-Match` fails because the client already has `tag`.
    ///
    /// The response is then a 304 to GET and HEAD, and a 412 to other methods. Pass `nil` for a resource that does not
    /// exist.
    public func matchesWeakly(_ tag: EntityTag?) -> Bool {
        guard let tag else { return false }
        return switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesWeakly(tag) }
        }
    }

    /// Returns true if `If-Match` holds because the client's copy is current; if false, the response is a 412.
    public func matchesStrongly(_ tag: EntityTag?) -> Bool {
        guard let tag else { return false }
        return switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesStrongly(tag) }
        }
    }
}
