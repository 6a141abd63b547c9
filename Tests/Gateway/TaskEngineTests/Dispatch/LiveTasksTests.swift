import ErrandLocking
import ErrandSessionCore
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

    @Test("An attempt is abandoned once")
    func abandoned() {
        var tasks = LiveTasks()
        let task = LiveTask(TaskRecord.sample(1))
        task.attempt = LiveTask.Attempt(work: Task {}, control: AttemptControl(), begin: .now)
        tasks.insert(task)
        let suspended = tasks.abandonAttempts(onlySuspended: true)
        #expect(suspended.isEmpty)
        for count in [1, 0] {
            let abandoned = tasks.abandonAttempts(onlySuspended: false)
            #expect(abandoned.count == count)
        }
        #expect(task.attempt?.isAbandoned == true)
    }

    @Test("A task that was stored while the clock was set has a step that moves its waits, before all others")
    func moved() throws {
        var tasks = LiveTasks()
        let record = TaskRecord.sample(1)
        let task = LiveTask(record)
        tasks.insert(task)
        tasks.store(record, followedBy: nil)
        #expect(task.waiting.isEmpty)
        task.append(LiveTask.Waiting(step: .timeCame, reply: nil))
        tasks.store(record, followedBy: .clockWasSet)
        let steps = tasks.remove(record.id)
        #expect(steps.count == 2)
        #expect(tasks.isEmpty)
        let step = try #require(steps.first?.step)
        let isMove = if case .clockWasSet = step { true } else { false }
        #expect(isMove, "another step: \(step)")
    }
}
