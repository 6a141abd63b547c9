import TaskStore
import Testing

@Suite("TaskRecord")
struct TaskRecordTests {
    @Test("A record's state and open attempt are those of its life, and setting a state sets a life of that state")
    func life() throws {
        var record = TaskRecord(
            id: .first(at: Timestamp(milliseconds: 0)), session: "s", kind: .data, state: .running, priority: 5,
            createdAt: Timestamp(milliseconds: 0), labels: [:], specification: TaskSpecification(task: [], request: []))
        #expect(record.state == .running && record.hasOpenAttempt)
        record.life = try #require(TaskLifecycle(state: .suspended, hasOpenAttempt: true))
        #expect(record.state == .suspended && record.hasOpenAttempt)
        record.state = .suspended
        #expect(record.state == .suspended && !record.hasOpenAttempt)
    }
}
