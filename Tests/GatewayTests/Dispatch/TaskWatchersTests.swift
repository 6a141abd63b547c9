import Support
import TaskStore
import Testing

@testable import Gateway

@Suite("TaskWatchers", .timeLimit(.minutes(1)))
struct TaskWatchersTests {
    private let watchers = TaskWatchers()

    /// Begins to wait; `inPlace` has happened when the watcher can be woken.
    private func watch(
        _ record: TaskRecord, until condition: TaskWatchers.Condition = .done, inPlace: Signal<Void>
    ) -> Task<Void, Never> {
        Task {
            await watchers.wait(for: record.id, until: condition, timeout: .seconds(3600)) {
                inPlace.send()
                return record
            }
        }
    }

    private func changed(_ record: TaskRecord, _ state: TaskState) -> TaskRecord {
        var next = record
        next.state = state
        next.revision += 1
        return next
    }

    @Test("wake a watcher by the change that it waits for, and by none before")
    func condition() async {
        let record = TaskRecord.sample(1)
        let inPlace = (done: Signal<Void>(), changed: Signal<Void>())
        let done = watch(record, inPlace: inPlace.done)
        let change = watch(record, until: .changed(from: record.revision), inPlace: inPlace.changed)
        await inPlace.done.wait()
        await inPlace.changed.wait()
        let running = changed(record, .running)
        watchers.didChange(running)
        await change.value
        watchers.didChange(changed(running, .succeeded))
        await done.value
        #expect(!TaskWatchers.Condition.done.isMet(by: running))
        #expect(!TaskWatchers.Condition.changed(from: running.revision).isMet(by: running))
    }

    @Test("wake nobody who waits for another task")
    func otherTask() async {
        let inPlace = (first: Signal<Void>(), second: Signal<Void>())
        let ended = EventLog<Int>()
        let first = watch(.sample(1), inPlace: inPlace.first)
        let second = watch(.sample(2), inPlace: inPlace.second)
        async let firstEnd: Void = {
            await first.value; ended.append(1)
        }()
        await inPlace.first.wait()
        await inPlace.second.wait()
        watchers.didChange(changed(.sample(1), .failed))
        await firstEnd
        #expect(ended.events == [1])
        #expect(!second.isCancelled)
        watchers.didDelete(.sample(2))
        await second.value
    }

    @Test("do not let a change slip through that came before the watcher was in place")
    func earlierChange() async {
        await watchers.wait(for: .sample(1), until: .done, timeout: .seconds(3600)) {
            changed(.sample(1), .succeeded)
        }
        await watchers.wait(for: .sample(1), until: .done, timeout: .seconds(3600)) { nil }
    }

    @Test("let go after the time-out, when the waiting task is cancelled, and when the gateway closes")
    func otherEnds() async {
        await watchers.wait(for: .sample(1), until: .done, timeout: .milliseconds(1)) { .sample(1) }
        let inPlace = (cancelled: Signal<Void>(), closed: Signal<Void>())
        let cancelled = watch(.sample(2), inPlace: inPlace.cancelled)
        await inPlace.cancelled.wait()
        cancelled.cancel()
        await cancelled.value
        let closed = watch(.sample(3), inPlace: inPlace.closed)
        await inPlace.closed.wait()
        watchers.close()
        await closed.value
        // Whoever comes later is not kept.
        await watchers.wait(for: .sample(4), until: .done, timeout: .seconds(3600)) { .sample(4) }
    }

    @Test("can be cancelled before they have begun")
    func cancelledBefore() async {
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await watchers.wait(for: .sample(1), until: .done, timeout: .seconds(3600)) { .sample(1) }
        }
        await waiting.value
    }
}
