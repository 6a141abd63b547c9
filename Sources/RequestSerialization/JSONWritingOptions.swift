/// What may change between the JSON of parameters and the JSON that is sent.
///
/// With all of them off, the default, nothing does: the bytes pass through untouched. With any of them on, numbers and
/// strings are still written as they were, escapes and repeated names included; only white space, the order of
/// members and the escape of `/` change.
public struct JSONWritingOptions: Sendable, Hashable {
    /// Each member and element has a line of its own, indented by two spaces for each level.
    ///
    /// When only other options are on, there is no white space at all.
    public var prettyPrinted: Bool
    /// Members are sorted by the UTF-8 of their names; members of one name keep their order.
    public var sortsKeys: Bool
    /// Each `/` in a string is written `\/` (RFC 8259 §7).
    public var escapesSlashes: Bool

    /// Creates options; all off by default.
    public init(prettyPrinted: Bool = false, sortsKeys: Bool = false, escapesSlashes: Bool = false) {
        self.prettyPrinted = prettyPrinted
        self.sortsKeys = sortsKeys
        self.escapesSlashes = escapesSlashes
    }

    /// Whether nothing may change.
    var keepsBytes: Bool { self == JSONWritingOptions() }
}
