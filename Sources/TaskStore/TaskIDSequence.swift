/// Makes identifiers that only ever increase: RFC 9562 §6.2, method 1, with a counter of 26 bits.
///
/// The counter begins each millisecond at a random number in its lower half, so that at least 33 million identifiers
/// fit; should they not, or should the clock go back, the sequence goes on with the last time it has used, and one
/// millisecond beyond it when the counter is full. 48 bits of each identifier are random.
package struct TaskIDSequence: Sendable {
    private var milliseconds: Int64 = -1
    private var counter: UInt64 = 0

    private static let counterBits: UInt64 = 26

    /// Creates a sequence that has made nothing yet.
    package init() {}

    /// Makes the next identifier.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - random: Gives 64 random bits at each call.
    package mutating func next(at now: Timestamp, random: () -> UInt64) -> TaskID {
        if now.milliseconds > milliseconds {
            milliseconds = max(now.milliseconds, 0)
            counter = Self.start(random())
        } else {
            counter += 1
            if counter >> Self.counterBits != 0 {
                milliseconds += 1
                counter = Self.start(random())
            }
        }
        let lowCounterBits: UInt64 = 14
        let tail = (counter & (1 << lowCounterBits - 1)) << 48 | random() & (1 << 48 - 1)
        return TaskID(
            timestamp: Timestamp(milliseconds: milliseconds), a: counter >> lowCounterBits, b: tail)
    }

    private static func start(_ random: UInt64) -> UInt64 {
        random & (1 << (counterBits - 1) - 1)
    }
}
