import ErrandLogOutput
import Testing

@Suite("Waiting log lines")
struct LogRingTests {
    /// Returns a ring with room for `count` lines of ``line(_:)``.
    private static func ring(lines count: Int) -> LogRing {
        LogRing(limitBytes: count * (3 + LogRing.overheadBytes))
    }

    /// Returns a line of three bytes.
    private static func line(_ number: Int) -> [UInt8] {
        Array("\(number % 90 + 10)\n".utf8)
    }

    private static func losses(_ ring: inout LogRing) -> LogRing.Losses {
        ring.takeLosses()
    }

    private static func numbers(_ ring: inout LogRing) -> [Int] {
        var text = ""
        while let batch = ring.take(maxBytes: 10) { text += String(decoding: batch.bytes, as: UTF8.self) }
        return text.split(separator: "\n").compactMap { Int($0).map { $0 - 10 } }
    }

    @Test("Lines are taken in the order in which they were added, whatever their importance")
    func order() {
        var ring = Self.ring(lines: 100)
        for number in 0..<50 { ring.append(Self.line(number), as: number % 3 == 0 ? .audit : .ordinary) }
        #expect(Self.numbers(&ring) == Array(0..<50))
        #expect(ring.isEmpty)
        #expect(!ring.hasLosses)
    }

    @Test("A line that does not fit drops the oldest ordinary ones, and each is counted")
    func oldestFirst() {
        var ring = Self.ring(lines: 4)
        for number in 0..<10 { ring.append(Self.line(number), as: .ordinary) }
        #expect(Self.losses(&ring) == LogRing.Losses(ordinary: 6))
        #expect(Self.losses(&ring).isEmpty)
        #expect(Self.numbers(&ring) == [6, 7, 8, 9])
    }

    @Test("Audit lines are dropped only if no other line is left, the oldest first")
    func auditLast() {
        var ring = Self.ring(lines: 4)
        for number in [0, 1] { ring.append(Self.line(number), as: .audit) }
        for number in 2..<8 { ring.append(Self.line(number), as: .ordinary) }
        #expect(Self.losses(&ring) == LogRing.Losses(ordinary: 4))
        for number in [8, 9] { ring.append(Self.line(number), as: .audit) }
        #expect(Self.losses(&ring) == LogRing.Losses(ordinary: 2))
        // Full of audit lines: an ordinary line is dropped, an audit line replaces the oldest.
        ring.append(Self.line(10), as: .ordinary)
        ring.append(Self.line(11), as: .audit)
        #expect(Self.losses(&ring) == LogRing.Losses(ordinary: 1, audit: 1))
        #expect(Self.numbers(&ring) == [1, 8, 9, 11])
    }

    @Test("A line larger than the ring is dropped, and no other line")
    func tooLarge() {
        var ring = Self.ring(lines: 4)
        ring.append(Self.line(1), as: .ordinary)
        for importance in [LogRing.Importance.ordinary, .audit] {
            ring.append(Array(repeating: 0, count: 10_000), as: importance)
        }
        #expect(Self.losses(&ring) == LogRing.Losses(ordinary: 1, audit: 1))
        #expect(Self.numbers(&ring) == [1])
    }

    @Test("A batch has whole lines up to a number of bytes, but at least one")
    func batches() throws {
        var ring = LogRing(limitBytes: 10_000)
        for count in [5, 5, 30, 1] { ring.append(Array(repeating: 7, count: count), as: .audit) }
        let ends = (0..<2).map { _ in ring.take(maxBytes: 12)?.lines.map(\.end) }
        #expect(ends == [[5, 10], [30]])
        let rest = ring.take(maxBytes: 12)
        let last = try #require(rest)
        #expect(last.lines.map(\.end) == [1])
        let nothing = ring.take(maxBytes: 12)
        #expect(nothing == nil)
        #expect(last.lost(after: 1).isEmpty)
        #expect(last.lost(after: 0) == LogRing.Losses(audit: 1))
        #expect(last.lost(after: -1) == LogRing.Losses(audit: 1))
    }

    @Test("A ring never exceeds its limit, and every line is kept or counted")
    func bounded() {
        var ring = Self.ring(lines: 7)
        var state: UInt64 = 1
        var (added, taken, lost) = (0, 0, 0)
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let choice = Int(state >> 60)
            if choice < 12 {
                ring.append(Array(repeating: 1, count: choice * 20), as: choice % 4 == 0 ? .audit : .ordinary)
                added += 1
            } else {
                taken += ring.take(maxBytes: choice * 10)?.lines.count ?? 0
            }
            if choice == 15 {
                let losses = ring.takeLosses()
                lost += losses.ordinary + losses.audit
            }
        }
        let losses = ring.takeLosses()
        lost += losses.ordinary + losses.audit
        var waiting = 0
        var waitingBytes = 0
        while let batch = ring.take(maxBytes: 1) {
            waiting += batch.lines.count
            waitingBytes += batch.bytes.count + LogRing.overheadBytes
        }
        #expect(added == taken + lost + waiting)
        #expect(waitingBytes <= ring.limitBytes)
        #expect(lost > 0 && taken > 0)
    }
}
