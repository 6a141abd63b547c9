import ErrandTaskStore
import Testing

@testable import ErrandTaskEvents

@Suite("EventRing")
struct EventRingTests {
    private func ids(_ reading: EventRing.Reading) -> [Int64]? {
        guard case .events(let events) = reading else { return nil }
        return events.map(\.id)
    }

    @Test("returns the events after an event, with or without gaps between the numbers")
    func following() {
        var ring = EventRing(capacity: 10, after: 4)
        ring.append([.sample(6), .sample(9), .sample(10)])
        #expect(ids(ring.events(after: 4)) == [6, 9, 10])
        #expect(ids(ring.events(after: 6)) == [9, 10])
        #expect(ids(ring.events(after: 7)) == [9, 10])
        #expect(ids(ring.events(after: 10)) == [])
        #expect(ids(ring.events(after: 99)) == [])
        #expect(ids(ring.events(after: 4, limit: 2)) == [6, 9])
        #expect(ring.newest == 10)
    }

    @Test("keeps the newest events, and reports when requested ones are gone")
    func capacity() {
        var ring = EventRing(capacity: 2)
        ring.append([.sample(1), .sample(2), .sample(5)])
        #expect(ring.floor == 1)
        #expect(ring.events(after: 0) == .gone)
        #expect(ids(ring.events(after: 1)) == [2, 5])
        ring.append([.sample(7), .sample(8), .sample(9)])
        #expect(ring.events(after: 6) == .gone)
        #expect(ids(ring.events(after: 7)) == [8, 9])
    }

    @Test("keeps fewer events if they are large")
    func size() throws {
        let labels = Dictionary(
            uniqueKeysWithValues: (0..<64).map { ("label-\($0)", String(repeating: "x", count: 256)) })
        var ring = EventRing(capacity: 4096, limitBytes: 1 << 20)
        ring.append((1...4096).map { .sample($0, labels: labels) })
        let kept = try #require(ids(ring.events(after: ring.floor)))
        #expect((20...64).contains(kept.count))
        #expect(kept.last == 4096)
        #expect(ring.events(after: ring.floor - 1) == .gone)
        ring.append((4097...8192).map { .sample($0) })
        #expect(try #require(ids(ring.events(after: ring.floor))).count == 4096)
    }

    @Test("begins empty after an earlier event")
    func beginning() {
        let ring = EventRing(capacity: 2, after: 7)
        #expect(ring.newest == 7)
        #expect(ring.events(after: 6) == .gone)
        #expect(ids(ring.events(after: 7)) == [])
    }

    @Test("adds no event twice")
    func repetition() {
        var ring = EventRing(capacity: 4, after: 2)
        ring.append([.sample(2), .sample(3)])
        ring.append([.sample(3), .sample(4)])
        #expect(ids(ring.events(after: 2)) == [3, 4])
    }
}
