/// The changes that may be made to the JSON of parameters before it is sent.
///
/// By default all options are off and the bytes are sent unchanged. With any option on, numbers and strings are still
/// written as they were, including escapes and duplicate names. Only white space, the order of members and the escaping
/// of `/` change.
public struct JSONWritingOptions: Sendable, Hashable {
    /// A Boolean value that indicates whether each member and element is on its own line, indented by two spaces per
    /// level.
    ///
    /// If only other options are on, there is no white space at all.
    public var prettyPrinted: Bool
    /// A Boolean value that indicates whether members are sorted by the UTF-8 of their names, stably for equal names.
    public var sortsKeys: Bool
    /// A Boolean value that indicates whether each `/` in a string is written `\/` (RFC 8259 §7).
    public var escapesSlashes: Bool

    /// Creates options; all are off by default.
    public init(prettyPrinted: Bool = false, sortsKeys: Bool = false, escapesSlashes: Bool = false) {
        self.prettyPrinted = prettyPrinted
        self.sortsKeys = sortsKeys
        self.escapesSlashes = escapesSlashes
    }

    /// A Boolean value that indicates whether the bytes stay unchanged.
    var keepsBytes: Bool { self == JSONWritingOptions() }
}
