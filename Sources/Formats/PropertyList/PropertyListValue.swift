/// One value of a property list.
public enum PropertyListValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// An integer; the binary format has up to 16 bytes, so that all fit.
    case integer(Int128)
    /// A floating-point number.
    case real(PropertyListReal)
    /// `true` or `false`.
    case boolean(Bool)
    /// A date and time.
    case date(PropertyListDate)
    /// Bytes.
    case data([UInt8])
    /// The items in order.
    case array([PropertyListValue])
    /// The entries in their order, repeated keys included.
    case dictionary([PropertyListEntry])
}

/// A key of a dictionary and its value.
public struct PropertyListEntry: Sendable, Hashable {
    /// The key.
    public var key: String
    /// The value.
    public var value: PropertyListValue

    /// Creates an entry.
    public init(_ key: String, _ value: PropertyListValue) {
        self.key = key
        self.value = value
    }
}
