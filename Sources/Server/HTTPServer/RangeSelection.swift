import ErrandHTTPGrammar
import ErrandText

/// The part of a representation that a request with `Range` selects (RFC 9110 §14.2).
public enum RangeSelection: Sendable, Hashable {
    /// The whole representation, as a 200: the request has no range, or one that this server does not support.
    case whole
    /// One part, as a 206 with `Content-Range`.
    case part(ByteRange)
    /// No part, as a 416 with `Content-Range: bytes */size`: the range begins after the end.
    case unsatisfiable

    /// Selects the part of a representation to send.
    ///
    /// Several ranges, other units and malformed values select the whole, which RFC 9110 §14.2 allows and every client
    /// has to expect; so does an `If-Range` that names another version.
    ///
    /// - Parameters:
    ///   - range: The value of `Range`, if there is one.
    ///   - ifRange: The value of `If-Range`, if there is one. Only a strong entity tag can match (RFC 9110 §13.1.5); a
    ///     date never does, as nothing here promises that two versions differ in it.
    ///   - entityTag: The tag of the representation, if it has one.
    ///   - size: Its length in bytes.
    public init(range: String?, ifRange: String? = nil, entityTag: EntityTag? = nil, size: Int64) {
        guard let range, Self.permits(ifRange, entityTag: entityTag), let asked = AskedRange(range) else {
            self = .whole
            return
        }
        self = asked.selection(size: size)
    }

    /// Returns the value of `Content-Range` in a 416 for a representation of `size` bytes.
    public static func unsatisfiedContentRange(size: Int64) -> String {
        "bytes */\(size)"
    }

    private static func permits(_ ifRange: String?, entityTag: EntityTag?) -> Bool {
        guard let ifRange else { return true }
        guard let entityTag, let asked = EntityTag(ifRange) else { return false }
        return asked.matchesStrongly(entityTag)
    }
}

/// A single `bytes` range as requested.
private enum AskedRange {
    case from(Int64)
    case between(Int64, Int64)
    case last(Int64)

    init?(_ value: String) {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let range = parts[1].trimmingOptionalWhitespace()
        let ends = range.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (Self.position(ends[0]), Self.position(ends[1])) {
        case (let first?, let last?):
            guard first <= last else { return nil }
            self = .between(first, last)
        case (let first?, nil) where ends[1].isEmpty:
            self = .from(first)
        case (nil, let count?) where ends[0].isEmpty:
            self = .last(count)
        default:
            return nil
        }
    }

    /// Parses digits; a number beyond 64 bits becomes the largest one, which is after every end.
    private static func position(_ digits: Substring) -> Int64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(digits) ?? .max
    }

    func selection(size: Int64) -> RangeSelection {
        switch self {
        case .from(let first):
            first < size ? .part(ByteRange(offset: first, length: size - first)) : .unsatisfiable
        case .between(let first, let last):
            first < size
                ? .part(ByteRange(offset: first, length: min(last, size - 1) - first + 1)) : .unsatisfiable
        case .last(let count):
            count > 0 && size > 0
                ? .part(ByteRange(offset: max(0, size - count), length: min(count, size))) : .unsatisfiable
        }
    }
}

/// A part of a representation, as bytes (RFC 9110 §14).
public struct ByteRange: Sendable, Hashable {
    /// The position of the first byte.
    public var offset: Int64
    /// The number of bytes, at least one.
    public var length: Int64

    /// Creates a range of `length` bytes that starts at `offset`.
    public init(offset: Int64, length: Int64) {
        self.offset = offset
        self.length = length
    }

    /// Returns the value of `Content-Range` in a 206 for a representation of `size` bytes: `bytes 0-9/100`.
    public func contentRange(size: Int64) -> String {
        "bytes \(offset)-\(offset + length - 1)/\(size)"
    }
}
