import HTTPGrammar

/// The value of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
public enum EntityTagCondition: Sendable, Hashable {
    /// `*`: any representation that there is.
    case any
    /// One of these tags.
    case tags([EntityTag])

    /// Reads a field value; values of repeated fields are joined with commas before.
    ///
    /// `nil` when it is malformed.
    public init?(_ value: String) {
        var rest = value[...].trimmingOptionalWhitespace()
        guard rest != "*" else {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        while !rest.isEmpty {
            // A list may have empty members (RFC 9110 §5.6.1.2).
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

    /// For `If-None-Match`: whether the client has `tag` already, so that GET and HEAD are answered with a 304 and
    /// other methods with a 412.
    ///
    /// `nil` is the tag of something that does not exist.
    public func matchesWeakly(_ tag: EntityTag?) -> Bool {
        guard let tag else { return false }
        return switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesWeakly(tag) }
        }
    }

    /// For `If-Match`: whether the client's copy is still the current one; if not, the answer is a 412.
    public func matchesStrongly(_ tag: EntityTag?) -> Bool {
        guard let tag else { return false }
        return switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesStrongly(tag) }
        }
    }
}
