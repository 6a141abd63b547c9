import ErrandSessionCore
import ErrandSupport
import Testing

@testable import ErrandTaskAdmission

@Suite("RetryBudget")
struct RetryBudgetTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    /// Returns the number of retries allowed at a time, of `count` requested ones.
    private func made(_ count: Int, _ budget: inout RetryBudget, at now: ContinuousClock.Instant) -> Int {
        var made = 0
        for _ in 0..<count where budget.take(at: now) == nil { made += 1 }
        return made
    }

    @Test("An idle session can retry as often as ten seconds allow; the next retry waits for its token")
    func quietSession() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0.2, minPerSecond: 2), at: start)
        let first = made(20, &budget, at: start)
        let wait = budget.take(at: start)
        #expect(first == 20)
        #expect(wait == .seconds(0.5))
    }

    @Test("Time refills the budget up to its capacity")
    func time() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 1), at: start)
        let counts = [made(20, &budget, at: start), made(20, &budget, at: at(1)), made(20, &budget, at: at(10_000))]
        #expect(counts == [10, 1, 10])
    }

    @Test("Postponed retries reserve nothing: a later retry that finds a token goes first")
    func nothingIsReserved() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 1), at: start)
        _ = made(3000, &budget, at: start)
        let next = budget.take(at: at(1))
        #expect(next == nil)
    }

    /// Returns the times after which retries that are postponed now try again.
    private func waits(_ count: Int, _ budget: inout RetryBudget) -> [Duration] {
        var waits: [Duration] = []
        for _ in 0..<count { if let wait = budget.take(at: start) { waits.append(wait) } }
        return waits
    }

    @Test("Postponed retries try again one after the other, those after half a minute farther apart")
    func spread() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 10), at: start)
        _ = made(100, &budget, at: start)
        let waits = waits(100_000, &budget)
        #expect(waits.count == 100_000)
        #expect(waits[0] == .milliseconds(100))
        #expect(waits[5000] == .milliseconds(5100))
        #expect(waits[29_900] == LookAgainQueue.near)
        #expect(waits[99_999] == LookAgainQueue.near + LookAgainQueue.wideSpacing * 70_099)
    }

    @Test("With more tokens a second than tries, postponed retries try again as often as there are tokens")
    func frequent() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 400), at: start)
        _ = made(4000, &budget, at: start)
        let far = waits(40_000, &budget).suffix(1000)
        #expect(zip(far, far.dropFirst()).allSatisfy { $1 - $0 == .seconds(1 / 400.0) })
    }

    @Test("After a success the next retries try again soon, however many others are waiting; once in half a minute")
    func restart() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 10), at: start)
        _ = made(100, &budget, at: start)
        let first = waits(40_000, &budget)
        budget.noteSuccess(at: start)
        let taken = made(1, &budget, at: start)
        let second = waits(40_000, &budget)
        budget.noteSuccess(at: start)
        let takenAgain = made(1, &budget, at: start)
        let third = waits(1, &budget)
        #expect(taken == 1 && takenAgain == 1)
        #expect(first.last.map { $0 > LookAgainQueue.near } == true)
        #expect(second.first == .milliseconds(100))
        #expect(third.first == second.last.map { $0 + LookAgainQueue.wideSpacing })
    }

    @Test("A retry that looks for a token takes none")
    func look() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 1), at: start)
        for _ in 0..<100 {
            let wait = budget.wait(at: start)
            #expect(wait == nil)
        }
        let taken = made(20, &budget, at: start)
        let (early, late) = (budget.wait(at: start), budget.wait(at: at(1)))
        #expect(taken == 10)
        #expect(early != nil && late == nil)
    }

    @Test("A success returns a token only if the retry has taken one")
    func successWithoutToken() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 1, minPerSecond: 1), at: start)
        _ = made(10, &budget, at: start)
        budget.noteSuccess(at: start)
        let returned = made(5, &budget, at: start)
        budget.noteSuccess(hadToken: false, at: start)
        let added = made(5, &budget, at: start)
        #expect(returned == 2 && added == 1)
    }

    @Test("First attempts add retries according to the ratio")
    func ratio() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0.25, minPerSecond: 1), at: start)
        _ = made(10, &budget, at: start)
        for _ in 0..<8 { budget.noteFirstAttempt(at: start) }
        let more = made(5, &budget, at: start)
        #expect(more == 2)
    }

    @Test("A backlog is retried as fast as the upstream answers, once it answers")
    func recovery() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0.2, minPerSecond: 10), at: start)
        _ = made(100, &budget, at: start)
        var (now, rounds, left) = (start, 0, 5000)
        while left > 0, rounds < 1000 {
            now = now.advanced(by: .milliseconds(100))
            let succeeded = made(left, &budget, at: now)
            for _ in 0..<succeeded { budget.noteSuccess(at: now) }
            left -= succeeded
            rounds += 1
        }
        #expect(left == 0)
        // Not measured: the instants are the test's own.
        #expect(start.duration(to: now) < .seconds(10))
    }

    @Test("A failing upstream gets only the retries of the time and of the first attempts")
    func failing() {
        var random = SplitMix64(seed: 1)
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0.2, minPerSecond: 3), at: start)
        var (now, retries, first) = (start, 0, 0)
        for _ in 0..<3000 {
            now = now.advanced(by: .milliseconds(Int64.random(in: -5...50, using: &random)))
            if Bool.random(using: &random) {
                budget.noteFirstAttempt(at: now)
                first += 1
            } else {
                retries += made(1, &budget, at: now)
            }
        }
        #expect(Double(retries) <= 30 + start.duration(to: now) / .seconds(1) * 3 + Double(first) * 0.2 + 1)
    }

    @Test("Without retries per second no retry waits forever")
    func slowest() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 0), at: start)
        _ = made(10, &budget, at: start)
        let (wait, next) = (budget.take(at: start), budget.take(at: at(1 / RetryBudget.slowest)))
        #expect(wait == LookAgainQueue.near)
        #expect(next == nil)
    }

    @Test("A retry can be as rare as one in a hundred seconds")
    func rare() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 0.01), at: start)
        _ = made(10, &budget, at: start)
        var early = budget
        let counts = [made(1, &early, at: at(99)), made(2, &budget, at: at(100))]
        #expect(counts == [0, 1])
    }

    @Test("A new configuration keeps the saved tokens")
    func configure() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 1), at: start)
        _ = made(10, &budget, at: start)
        budget.configure(RetryConfiguration.Budget(ratio: 0, minPerSecond: 10), at: start)
        let counts = [made(5, &budget, at: start), made(5, &budget, at: at(0.2))]
        #expect(counts == [0, 2])
    }
}
