import SessionCore
import Support
import TaskAdmission
import Testing

@Suite("RetryBudget")
struct RetryBudgetTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test("A quiet session retries at once, and what goes beyond ten seconds' worth waits, each longer than the last")
    func quietSession() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0.2, minPerSecond: 2), at: start)
        var waits: [Duration] = []
        for _ in 0..<23 { waits.append(budget.reserve(at: start)) }
        #expect(waits[..<20].allSatisfy { $0 == .zero })
        #expect(waits[20...] == [.seconds(0.5), .seconds(1), .seconds(1.5)])
    }

    @Test("Time makes up for what was spent, and never for more than the budget holds")
    func time() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 1), at: start)
        for _ in 0..<10 { _ = budget.reserve(at: start) }
        let next = budget.reserve(at: at(1))
        let over = budget.reserve(at: at(1))
        #expect(next == .zero)
        #expect(over == .seconds(1))
        var waits: [Duration] = []
        for _ in 0..<11 { waits.append(budget.reserve(at: at(10_000))) }
        #expect(waits.filter { $0 == .zero }.count == 10)
    }

    @Test("First attempts allow as many more retries as their share says")
    func ratio() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0.25, minPerSecond: 1), at: start)
        for _ in 0..<10 { _ = budget.reserve(at: start) }
        for _ in 0..<8 { budget.noteFirstAttempt(at: start) }
        var waits: [Duration] = []
        for _ in 0..<3 { waits.append(budget.reserve(at: start)) }
        #expect(waits == [.zero, .zero, .seconds(1)])
    }

    @Test("Without retries for each second none waits for ever")
    func slowest() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 0), at: start)
        for _ in 0..<10 { _ = budget.reserve(at: start) }
        let wait = budget.reserve(at: start)
        #expect(wait == .seconds(1 / RetryBudget.slowest))
    }

    @Test("Another configuration keeps what was put off")
    func configure() {
        var budget = RetryBudget(RetryConfiguration.Budget(ratio: 0, minPerSecond: 1), at: start)
        for _ in 0..<12 { _ = budget.reserve(at: start) }
        budget.configure(RetryConfiguration.Budget(ratio: 0, minPerSecond: 10), at: start)
        let wait = budget.reserve(at: start)
        #expect(wait == .milliseconds(300))
    }

    @Test(
        "Over any time, retries are at most what it holds, each second and each first attempt allow", arguments: 0..<5)
    func bound(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let configuration = RetryConfiguration.Budget(ratio: 0.2, minPerSecond: 3)
        var budget = RetryBudget(configuration, at: start)
        var now = start
        var made: [ContinuousClock.Instant] = []
        var first = 0
        for _ in 0..<3000 {
            now = now.advanced(by: .milliseconds(Int64.random(in: -5...50, using: &random)))
            if Bool.random(using: &random) {
                budget.noteFirstAttempt(at: now)
                first += 1
            } else {
                let wait = budget.reserve(at: now)
                #expect(wait >= .zero)
                made.append(now.advanced(by: wait))
            }
        }
        let end = now
        let done = Double(made.count { $0 <= end })
        #expect(done <= 30 + start.duration(to: end) / .seconds(1) * 3 + Double(first) * 0.2 + 1)
    }
}
