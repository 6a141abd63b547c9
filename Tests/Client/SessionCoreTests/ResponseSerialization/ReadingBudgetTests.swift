import ErrandSupport
import Testing

@testable import ErrandSessionCore

@Suite("A budget of memory for reading", .timeLimit(.hang))
struct ReadingBudgetTests {
    private let budget = ReadingBudget(maxBytes: 100)

    private let executor = StepExecutor()

    /// Asks for a share in a task, and returns when the task waits.
    private func wait(_ bytes: Int64) -> Task<Int64?, Never> {
        let task = Task(executorPreference: executor) { await budget.take(bytes) }
        executor.runAll()
        return task
    }

    @Test("gives shares until exhausted, and all of itself for a request above the budget")
    func shares() async {
        #expect(await budget.take(60) == 60)
        #expect(await budget.take(40) == 40)
        budget.giveBack(100)
        #expect(await budget.take(1_000) == 100)
        budget.giveBack(100)
        #expect(await budget.take(-1) == 0)
    }

    @Test("serves requests in order, and skips none")
    func order() async {
        #expect(await budget.take(60) == 60)
        let large = wait(100)
        let small = wait(10)
        #expect(budget.waiting == 2, "10 would fit, but must wait")
        budget.giveBack(60)
        executor.runAll()
        #expect(await large.value == 100)
        #expect(budget.waiting == 1)
        budget.giveBack(100)
        executor.runAll()
        #expect(await small.value == 10)
    }

    @Test("removes a canceled request, and serves those behind it")
    func cancel() async {
        #expect(await budget.take(60) == 60)
        let large = wait(100)
        let small = wait(40)
        large.cancel()
        executor.runAll()
        #expect(await large.value == nil)
        #expect(await small.value == 40)
        budget.giveBack(100)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await budget.take(1)
        }
        #expect(await late.value == nil)
        #expect(await budget.take(100) == 100, "nothing is lost")
    }
}
