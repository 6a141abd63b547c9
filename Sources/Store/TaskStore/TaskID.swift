import ErrandText
package import ErrandTime

/// The identifier of a task: a UUID of version 7 (RFC 9562 §5.7), which orders tasks by the time of their creation.
package struct TaskID: Sendable, Hashable, Comparable {
    /// The first 8 bytes: 48 bits of time, 4 of version, 12 of the generator's counter.
    package let high: UInt64
    /// The last 8 bytes: 2 bits of variant, the rest of the counter, random bits.
    package let low: UInt64

    /// Creates an identifier from its halves; returns `nil` if they are not a UUID of version 7.
    package init?(high: UInt64, low: UInt64) {
        guard high & 0xF000 == 0x7000, low >> 62 == 0b10 else { return nil }
        self.high = high
        self.low = low
    }

    private init(milliseconds: UInt64, counter: UInt64, low: UInt64) {
        high = milliseconds << 16 | 0x7000 | counter & 0xFFF
        self.low = 1 << 63 | low & (1 << 62 - 1)
    }

    package static func < (left: TaskID, right: TaskID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// The time of its creation, to the millisecond.
    package var timestamp: Timestamp {
        Timestamp(milliseconds: Int64(high >> 16))
    }

    /// Creates an identifier from the fields of RFC 9562 §5.7.
    ///
    /// - Parameters:
    ///   - timestamp: `unix_ts_ms`; an instant before 1970 counts as 1970.
    ///   - a: `rand_a`, of which 12 bits are used.
    ///   - b: `rand_b`, of which 62 bits are used.
    package init(timestamp: Timestamp, a: UInt64, b: UInt64) {
        self.init(milliseconds: UInt64(max(timestamp.milliseconds, 0)), counter: a, low: b)
    }

    /// Returns the lowest identifier of a millisecond.
    package static func first(at timestamp: Timestamp) -> TaskID {
        TaskID(timestamp: timestamp, a: 0, b: 0)
    }

    /// Returns the highest identifier of a millisecond.
    package static func last(at timestamp: Timestamp) -> TaskID {
        TaskID(timestamp: timestamp, a: .max, b: .max)
    }
}

extension TaskID {
    /// The 16 bytes in network order, which sort like the identifiers.
    package var bytes: [UInt8] {
        (0..<16).map { byte(at: $0) }
    }

    /// Returns one of the 16 ``bytes``.
    private func byte(at index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - index % 8 * 8))
    }

    /// Creates an identifier from its ``bytes``; returns `nil` if they are not a UUID of version 7.
    package init?(bytes: some Sequence<UInt8>) {
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        var count = 0
        for byte in bytes {
            if count < 8 {
                halves.high = halves.high << 8 | UInt64(byte)
            } else {
                halves.low = halves.low << 8 | UInt64(byte)
            }
            count += 1
            if count > 16 { return nil }
        }
        guard count == 16 else { return nil }
        self.init(high: halves.high, low: halves.low)
    }
}

extension TaskID: LosslessStringConvertible {
    /// The canonical text in lower case (RFC 9562 §4), 36 characters.
    package var description: String {
        let characters = characters
        // Digits and hyphens are UTF-8.
        return String(validating: characters.span) ?? ""
    }

    /// Appends the 36 bytes of ``description``.
    package func write(to text: inout [UInt8]) {
        let characters = characters
        for index in 0..<36 { text.append(characters[index]) }
    }

    /// The bytes of ``description``.
    private var characters: InlineArray<36, UInt8> {
        var characters = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        var end = 0
        for index in 0..<16 {
            // The fields have 4, 2, 2, 2 and 6 bytes.
            if index == 4 || index == 6 || index == 8 || index == 10 { end += 1 }
            let byte = self.byte(at: index)
            characters[end] = Hexadecimal.digit(byte >> 4)
            characters[end + 1] = Hexadecimal.digit(byte & 0xF)
            end += 2
        }
        return characters
    }

    /// Reads the canonical text, with digits in either case (RFC 9562 §4).
    ///
    /// - Returns: `nil` if the text is not a UUID of version 7.
    package init?(_ text: String) {
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        var position = 0
        for byte in text.utf8 {
            switch position {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            case 36...:
                return nil
            default:
                guard let digit = Hexadecimal.value(of: byte).map(UInt64.init) else { return nil }
                if position < 18 {
                    halves.high = halves.high << 4 | digit
                } else {
                    halves.low = halves.low << 4 | digit
                }
            }
            position += 1
        }
        guard position == 36 else { return nil }
        self.init(high: halves.high, low: halves.low)
    }
}
