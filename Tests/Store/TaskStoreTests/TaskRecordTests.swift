import ErrandTaskStore
import ErrandTime
import Testing

@Suite("TaskRecord")
struct TaskRecordTests {
    private func record(_ state: TaskState) -> TaskRecord {
        TaskRecord(
            id: .first(at: Timestamp(milliseconds: 0)), session: "s", kind: .data, state: state, priority: 5,
            createdAt: Timestamp(milliseconds: 7), labels: [:], specification: TaskSpecification(task: [], request: []))
    }

    @Test("A record's state and open attempt come from its life cycle, and setting the state replaces it")
    func life() throws {
        var record = record(.running)
        #expect(record.state == .running && record.hasOpenAttempt)
        try record.change { $0.life = try #require(TaskLifecycle(state: .suspended, hasOpenAttempt: true)) }
        #expect(record.state == .suspended && record.hasOpenAttempt)
        record.change { $0.state = .suspended }
        #expect(record.state == .suspended && !record.hasOpenAttempt)
    }

    @Test("A record is due only at the time that its state waits for")
    func dueAt() {
        for state in TaskState.allCases {
            var record = record(state)
            #expect(record.dueAt == nil)
            record.change {
                $0.notBefore = Timestamp(milliseconds: 1)
                $0.nextAttemptAt = Timestamp(milliseconds: 2)
            }
            switch state {
            case .scheduled: #expect(record.dueAt == record.notBefore)
            case .waiting: #expect(record.dueAt == record.nextAttemptAt)
            default: #expect(record.dueAt == nil)
            }
        }
    }

    @Test("A record waits from its creation by default")
    func readyAt() {
        var record = record(.queued)
        #expect(record.queuePosition == QueuePosition(priority: 5, readyAt: record.createdAt, id: record.id))
        record.change { $0.readyAt = .earliest }
        #expect(record.queuePosition == QueuePosition(priority: 5, readyAt: .earliest, id: record.id))
    }
}
