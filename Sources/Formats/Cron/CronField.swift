/// The allowed values of one field of an expression.
struct CronField: Sendable, Hashable {
    /// The allowed values, one bit for each.
    private var bits: UInt64 = 0
    /// True if the field begins with `*` or `?`, which determines how the two day fields combine.
    var isStar = false

    /// Allows a value from 0 to 63.
    mutating func insert(_ value: Int) {
        bits |= 1 << UInt64(value)
    }

    /// Returns true if a value is allowed.
    func contains(_ value: Int) -> Bool {
        bits & (1 << UInt64(value)) != 0
    }

    /// Returns the first allowed value that is not below `value`, or `nil` if there is none.
    func first(from value: Int = 0) -> Int? {
        guard value < UInt64.bitWidth else { return nil }
        let rest = bits >> UInt64(value)
        return rest == 0 ? nil : value + rest.trailingZeroBitCount
    }
}
