/// Sizes in bytes as a configuration writes them: `512`, `64KiB`, `8MiB`, `1GiB`, `1TiB`.
///
/// Units are powers of 1024 (IEC 80000-13). `MB` and the like are refused, because they are ambiguous.
package enum ByteSize {
    private static let units: [(name: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// The regular expression (ECMA-262) of the texts that ``parse(_:)`` accepts.
    static let pattern = "^[0-9]{1,18}(B|KiB|MiB|GiB|TiB)?$"

    /// Returns the number of bytes, or `nil` if the text is not a size or is too large.
    package static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        guard digits.count <= 18, let number = Int64(digits) else { return nil }
        guard !unit.isEmpty else { return number }
        guard let factor = units.first(where: { $0.name == unit })?.bytes else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : bytes
    }

    /// Returns the shortest text for a number of bytes.
    package static func format(_ bytes: Int64) -> String {
        guard let unit = units.first(where: { bytes != 0 && bytes.isMultiple(of: $0.bytes) }), unit.bytes > 1 else {
            return String(bytes)
        }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
