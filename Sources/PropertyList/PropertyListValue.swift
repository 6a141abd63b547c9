/// One value of a property list.
public enum PropertyListValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// An integer. The binary format has up to 16 bytes of them, so all that can be sent fit.
    case integer(Int128)
    /// A floating-point number.
    case real(PropertyListReal)
    /// `true` or `false`.
    case boolean(Bool)
    /// A moment.
    case date(PropertyListDate)
    /// Bytes.
    case data([UInt8])
    /// The items in order.
    case array([PropertyListValue])
    /// The entries in the order in which they stand, repeated keys included.
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
