package import ErrandTime

/// Creates strictly increasing identifiers: RFC 9562 §6.2, method 1, with a counter of 26 bits.
///
/// The counter starts each millisecond at a random number in its lower half, so that at least 33 million identifiers
/// fit. If the clock goes back, the sequence continues with the last time that it used; if the counter is full, with
/// the next millisecond. 48 bits of each identifier are random.
package struct TaskIDSequence: Sendable {
    private var milliseconds: Int64 = -1
    /// The counter of the last identifier; tests set it, as counting up to its end would take them half a minute.
    var counter: UInt64 = 0

    static let counterBits: UInt64 = 26

    /// Creates a sequence without previous identifiers.
    package init() {}

    /// Returns the next identifier.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - random: The source of the random bits.
    package mutating func next(at now: Timestamp, using random: inout some RandomNumberGenerator) -> TaskID {
        if now.milliseconds > milliseconds {
            milliseconds = max(now.milliseconds, 0)
            counter = Self.start(random.next())
        } else {
            counter += 1
            if counter >> Self.counterBits != 0 {
                milliseconds += 1
                counter = Self.start(random.next())
            }
        }
        let lowCounterBits: UInt64 = 14
        let tail = (counter & (1 << lowCounterBits - 1)) << 48 | random.next() & (1 << 48 - 1)
        return TaskID(
            timestamp: Timestamp(milliseconds: milliseconds), a: counter >> lowCounterBits, b: tail)
    }

    /// Makes all future identifiers greater than the given one.
    ///
    /// An example is the greatest identifier of an earlier process, whose clock may have been ahead.
    package mutating func advance(beyond id: TaskID) {
        guard id.timestamp.milliseconds >= milliseconds else { return }
        milliseconds = id.timestamp.milliseconds
        // The counter is full, so the next identifier uses the next millisecond.
        counter = 1 << Self.counterBits - 1
    }

    private static func start(_ random: UInt64) -> UInt64 {
        random & (1 << (counterBits - 1) - 1)
    }
}
