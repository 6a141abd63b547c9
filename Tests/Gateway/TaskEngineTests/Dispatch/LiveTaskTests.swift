import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("LiveTask")
struct LiveTaskTests {
    private func waiting(_ step: TaskStep, reply: PendingReply? = nil) -> LiveTask.Waiting {
        LiveTask.Waiting(step: step, reply: reply)
    }

    /// Returns the names of the steps, without their values.
    private func names(_ steps: [LiveTask.Waiting]) -> [String] {
        steps.map { waiting in
            switch waiting.step {
            case .start: "start"
            case .suspend: "suspend"
            case .cancel: "cancel"
            default: "other"
            }
        }
    }

    @Test("One caller drains the steps, in their order, until there is none")
    func draining() {
        let task = LiveTask(.sample(1))
        #expect(task.isIdle)
        task.append(waiting(.start))
        #expect(!task.isIdle)
        #expect(task.beginDraining())
        task.append(waiting(.suspend))
        #expect(!task.beginDraining(), "another caller drains them")
        var steps: [LiveTask.Waiting] = []
        while let step = task.nextStep() { steps.append(step) }
        #expect(names(steps) == ["start", "suspend"])
        #expect(task.isIdle)
        #expect(task.beginDraining(), "the draining has ended")
    }

    @Test("A step that is put back comes first again")
    func putBack() throws {
        let task = LiveTask(.sample(1))
        for step in [TaskStep.start, .suspend] { task.append(waiting(step)) }
        let first = try #require(task.nextStep())
        task.putBack(first)
        #expect(names(task.waiting) == ["start", "suspend"])
    }

    @Test("Draining ends early only if no step waits")
    func endOfDraining() {
        let task = LiveTask(.sample(1))
        #expect(task.beginDraining())
        task.append(waiting(.start))
        #expect(!task.endDrainingIfIdle())
        #expect(!task.beginDraining())
        while task.nextStep() != nil {}
        #expect(task.beginDraining())
        #expect(task.endDrainingIfIdle())
        #expect(task.isIdle)
    }

    @Test("After a failure the steps of clients are removed, the others stay")
    func failure() {
        let task = LiveTask(.sample(1))
        task.append(waiting(.start))
        task.append(waiting(.cancel, reply: PendingReply()))
        task.append(waiting(.suspend))
        let error = TaskStoreError(.busy, "the store is busy")
        #expect(names(task.fail(with: error)) == ["cancel"])
        #expect(names(task.waiting) == ["start", "suspend"])
        #expect(task.trouble == error)
        task.recover()
        #expect(task.trouble == nil)
    }
}
