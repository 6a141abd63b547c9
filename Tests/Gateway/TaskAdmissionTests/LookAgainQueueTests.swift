import Testing

@testable import ErrandTaskAdmission

@Suite("LookAgainQueue")
struct LookAgainQueueTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    /// Returns true if no window of a second has more than a number of times, which are in order.
    private func isLimited(_ times: [Duration], perSecond count: Int) -> Bool {
        zip(times, times.dropFirst(count)).allSatisfy { $1 - $0 >= .seconds(1) }
    }

    @Test("In no second more than a thousand of many tasks try again, and after half a minute no more than 200")
    func rate() {
        var queue = LookAgainQueue()
        var times: [Duration] = []
        for _ in 0..<100_000 { times.append(queue.next(at: start, notBefore: Duration.zero)) }
        let far = times.filter { $0 >= LookAgainQueue.near }
        #expect(times.first == LookAgainQueue.spacing)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(far.count > 60_000)
        #expect(isLimited(times, perSecond: 1000))
        #expect(isLimited(far, perSecond: 200))
    }

    @Test("In no second more tasks try again after a pause, however late it ends")
    func afterPause() {
        var queue = LookAgainQueue()
        var times: [Duration] = []
        for _ in 0..<100_000 { times.append(queue.next(at: start, notBefore: at(600))) }
        let far = times.filter { $0 >= .seconds(600) + LookAgainQueue.near }
        #expect(times.first == .seconds(600))
        #expect(far.count > 60_000)
        #expect(isLimited(times, perSecond: 1000))
        #expect(isLimited(far, perSecond: 200))
    }

    @Test("Tasks of a long queue that try again and again do so 200 times a second")
    func endless() {
        var queue = LookAgainQueue()
        var times: [ContinuousClock.Instant] = []
        for _ in 0..<40_000 { times.append(start.advanced(by: queue.next(at: start, notBefore: Duration.zero))) }
        // Later tries have later times: the list stays sorted.
        var (next, tries) = (0, 0)
        while times[next] < at(120) {
            let now = times[next]
            times.append(now.advanced(by: queue.next(at: now, notBefore: Duration.zero)))
            if now >= at(110) { tries += 1 }
            next += 1
        }
        #expect((1990...2000).contains(tries))
    }

    @Test("A long queue begins again near the present, at most once in half a minute; a short one goes on")
    func restart() {
        var queue = LookAgainQueue()
        for _ in 0..<100 { _ = queue.next(at: start, notBefore: Duration.zero) }
        queue.restart(at: start)
        let short = queue.next(at: start, notBefore: Duration.zero)
        for _ in 0..<50_000 { _ = queue.next(at: start, notBefore: Duration.zero) }
        queue.restart(at: start)
        let near = queue.next(at: start, notBefore: Duration.zero)
        for _ in 0..<50_000 { _ = queue.next(at: start, notBefore: Duration.zero) }
        queue.restart(at: at(29))
        let far = queue.next(at: at(29), notBefore: Duration.zero)
        queue.restart(at: at(30))
        let again = queue.next(at: at(30), notBefore: Duration.zero)
        #expect(short == LookAgainQueue.spacing * 101)
        #expect(near == LookAgainQueue.spacing)
        #expect(far > LookAgainQueue.near)
        #expect(again == LookAgainQueue.spacing)
    }
}
