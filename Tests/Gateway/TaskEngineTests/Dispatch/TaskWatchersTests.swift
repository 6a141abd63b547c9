import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("TaskWatchers", .timeLimit(.hang))
struct TaskWatchersTests {
    private let watchers = TaskWatchers()

    /// Begins a wait; `inPlace` is sent when the watcher can be woken.
    private func watch(
        _ record: TaskRecord, until condition: TaskWatchers.Condition = .done, inPlace: Signal<Void>
    ) -> Task<Void, any Error> {
        Task {
            try await watchers.wait(for: record.id, until: condition, timeout: .seconds(3600)) {
                inPlace.send()
                return record
            }
        }
    }

    private func changed(_ record: TaskRecord, _ state: TaskState) -> TaskRecord {
        var next = record
        next.change {
            $0.state = state
            $0.revision += 1
        }
        return next
    }

    @Test("wake a watcher at the change that it waits for, and not before")
    func condition() async throws {
        let record = TaskRecord.sample(1)
        let inPlace = (done: Signal<Void>(), changed: Signal<Void>())
        let done = watch(record, inPlace: inPlace.done)
        let change = watch(record, until: .changed(from: record.revision), inPlace: inPlace.changed)
        await inPlace.done.wait()
        await inPlace.changed.wait()
        let running = changed(record, .running)
        watchers.didChange(running)
        try await change.value
        watchers.didChange(changed(running, .succeeded))
        try await done.value
        #expect(!TaskWatchers.Condition.done.isMet(by: running))
        #expect(!TaskWatchers.Condition.changed(from: running.revision).isMet(by: running))
    }

    @Test("do not wake a watcher of another task")
    func otherTask() async throws {
        let ended = EventLog<Int>()
        let executor = StepExecutor()
        let watching = (1...2).map { number in
            Task(executorPreference: executor) {
                try await watchers.wait(for: .sample(number), until: .done, timeout: .seconds(3600)) {
                    .sample(number)
                }
                ended.append(number)
            }
        }
        executor.runAll()
        watchers.didChange(changed(.sample(1), .failed))
        executor.runAll()
        #expect(ended.events == [1])
        watchers.didDelete(.sample(2))
        executor.runAll()
        #expect(ended.events == [1, 2])
        for task in watching { try await task.value }
    }

    @Test("wake all that wait for any change if only the task is known, and none that waits for its end")
    func changeInStore() async throws {
        let record = TaskRecord.sample(1)
        let ended = EventLog<String>()
        let executor = StepExecutor()
        let conditions: [(name: String, condition: TaskWatchers.Condition)] = [
            ("done", .done), ("changed", .changed(from: record.revision)),
            ("receiving", .changedOrReceiving(from: record.revision)),
        ]
        let watching = conditions.map { name, condition in
            Task(executorPreference: executor) {
                try await watchers.wait(for: record.id, until: condition, timeout: .seconds(3600)) { record }
                ended.append(name)
            }
        }
        executor.runAll()
        watchers.didChangeInStore(.sample(2))
        executor.runAll()
        #expect(ended.events.isEmpty)
        watchers.didChangeInStore(record.id)
        executor.runAll()
        #expect(ended.events.sorted() == ["changed", "receiving"])
        watchers.didChange(changed(record, .succeeded))
        executor.runAll()
        #expect(ended.events.last == "done")
        for task in watching { try await task.value }
    }

    @Test("miss no change that comes before the watcher is in place")
    func earlierChange() async throws {
        try await watchers.wait(for: .sample(1), until: .done, timeout: .seconds(3600)) {
            changed(.sample(1), .succeeded)
        }
        try await watchers.wait(for: .sample(1), until: .done, timeout: .seconds(3600)) { nil }
    }

    @Test("return after the timeout and when the gateway closes; canceled and late callers get an error")
    func otherEnds() async throws {
        try await watchers.wait(for: .sample(1), until: .done, timeout: .milliseconds(1)) { .sample(1) }
        let inPlace = (canceled: Signal<Void>(), closed: Signal<Void>())
        let canceled = watch(.sample(2), inPlace: inPlace.canceled)
        await inPlace.canceled.wait()
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        let closed = watch(.sample(3), inPlace: inPlace.closed)
        await inPlace.closed.wait()
        watchers.close()
        try await closed.value
        await #expect(throws: CancellationError.self) {
            try await watchers.wait(for: .sample(4), until: .done, timeout: .seconds(3600)) { .sample(4) }
        }
    }

    @Test("can be canceled before they have begun")
    func canceledBefore() async {
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await watchers.wait(for: .sample(1), until: .done, timeout: .seconds(3600)) { .sample(1) }
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
