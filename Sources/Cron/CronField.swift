/// The values that one field of an expression allows.
struct CronField: Sendable, Hashable {
    /// A bit for each value.
    private var bits: UInt64 = 0
    /// It was written with a `*` or `?` at its front: in the two day fields that decides how they combine.
    var isStar = false

    /// Creates a field that allows nothing.
    init() {}

    /// Creates a field that allows some values.
    init(_ values: some Sequence<Int>, isStar: Bool = false) {
        for value in values { insert(value) }
        self.isStar = isStar
    }

    /// Allows a value, 0 to 63.
    mutating func insert(_ value: Int) {
        bits |= 1 << UInt64(value)
    }

    /// Whether a value is allowed.
    func contains(_ value: Int) -> Bool {
        bits & (1 << UInt64(value)) != 0
    }

    /// The first allowed value that is not below `value`; `nil` when there is none.
    func first(from value: Int = 0) -> Int? {
        guard value < UInt64.bitWidth else { return nil }
        let rest = bits >> UInt64(value)
        return rest == 0 ? nil : value + rest.trailingZeroBitCount
    }
}
