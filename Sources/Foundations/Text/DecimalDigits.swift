extension [UInt8] {
    /// Appends the decimal digits of a number that is not negative, with leading zeros up to a number of digits.
    ///
    /// The number must not have more digits.
    @inlinable
    public mutating func append(decimal number: Int64, digits: Int) {
        if digits > 1 { append(decimal: number / 10, digits: digits - 1) }
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
