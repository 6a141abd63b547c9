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

extension FixedWidthInteger {
    /// Creates the number of a text of decimal digits; returns `nil` for any other text, and for a number that is too
    /// large.
    ///
    /// Unlike the initializer of the standard library, this one refuses a sign.
    @inlinable
    public init?(decimalDigits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ $0.isASCIIDigit }) else { return nil }
        self.init(text, radix: 10)
    }

    /// Returns the number with one more decimal digit at its end; `nil` if it would be too large.
    ///
    /// - Parameter digit: A byte from `0` to `9` of ASCII.
    @inlinable
    public func appending(decimalDigit digit: UInt8) -> Self? {
        let (tenfold, isTooLarge) = multipliedReportingOverflow(by: 10)
        let (sum, isStillTooLarge) = tenfold.addingReportingOverflow(Self(truncatingIfNeeded: digit & 0xF))
        return isTooLarge || isStillTooLarge ? nil : sum
    }
}
