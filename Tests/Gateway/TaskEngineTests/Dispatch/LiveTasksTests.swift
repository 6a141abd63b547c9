import ErrandLocking
import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("LiveTasks", .timeLimit(.hang))
struct LiveTasksTests {
    @Test("A task stays live until it has no step")
    func retirement() {
        var tasks = LiveTasks()
        let record = TaskRecord.sample(1)
        let task = tasks.task(of: record)
        let again = tasks.task(of: record)
        #expect(task === again)
        task.append(LiveTask.Waiting(step: .start))
        _ = tasks.retire(record.id)
        #expect(tasks[record.id] === task)
        let next = tasks.nextStep(of: record.id)
        #expect(next?.1.id == record.id)
        let end = tasks.nextStep(of: record.id)?.1
        #expect(end?.id == nil)
        _ = tasks.retire(record.id)
        #expect(tasks.isEmpty)
    }

    @Test("The end of the last task is reported to its waiters; without a task there is nothing to wait for")
    func idle() async {
        await withContinuation { (continuation: Continuation<Void>) in
            var tasks = LiveTasks()
            let waitsForNothing = tasks.addIdleWaiter(continuation)
            #expect(!waitsForNothing)
            let (first, second) = (TaskRecord.sample(1), TaskRecord.sample(2))
            for record in [first, second] { tasks.insert(LiveTask(record)) }
            let waits = tasks.addIdleWaiter(continuation)
            #expect(waits)
            let early = tasks.retire(first.id)
            #expect(early.isEmpty)
            for waiter in tasks.retire(second.id) { waiter.resume() }
        }
    }

    @Test("A task that was stored while the clock was set gets a step that moves its waits")
    func moved() throws {
        var tasks = LiveTasks()
        let record = TaskRecord.sample(1)
        let task = LiveTask(record)
        tasks.insert(task)
        tasks.store(record, movingWaitsBy: nil)
        #expect(task.waiting.isEmpty)
        tasks.store(record, movingWaitsBy: .seconds(3))
        let steps = tasks.remove(record.id)
        #expect(steps.count == 1)
        #expect(tasks.isEmpty)
        let step = try #require(steps.first?.step)
        guard case .clockWasSet(let jump, let change) = step else {
            Issue.record("another step: \(step)")
            return
        }
        #expect(jump == .seconds(3))
        #expect(change == nil)
    }
}
