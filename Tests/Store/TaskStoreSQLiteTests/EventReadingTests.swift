import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskStoreSQLite

/// 2025-01-01T00:00:00Z, in milliseconds since 1970.
private let epoch: Int64 = 1_735_689_600_000

@Suite("EventReading")
struct EventReadingTests {
    @Test(
        "The numbers of a store that is opened follow the time and the newest event, and stay below 2^53",
        arguments: [
            (newest: 0, time: epoch + 5_999, next: 5 << 20),
            (newest: 7, time: epoch + 5_000, next: 5 << 20),
            // The clock was set back, or is before 2025.
            (newest: 9 << 20, time: epoch + 5_000, next: 10 << 20),
            (newest: 7, time: 0, next: 7 + (1 << 20)),
            (newest: 0, time: 0, next: 1),
            // The clock is far ahead.
            (newest: 7, time: Timestamp.latest.milliseconds, next: 1 << 52),
        ] as [(newest: Int64, time: Int64, next: Int64)])
    func opened(newest: Int64, time: Int64, next: Int64) {
        let bounds = EventBounds(forgotten: 0, newest: newest).opened(at: Timestamp(milliseconds: time))
        #expect(bounds.newest == newest)
        #expect(bounds.omitted == (next == newest + 1 ? nil : newest + 1..<next))
    }

    @Test("A damaged store with the last number opens")
    func damaged() {
        let bounds = EventBounds(forgotten: 0, newest: .max)
        #expect(bounds.opened(at: .latest) == bounds)
    }
}
