import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEvents

@Suite("EventFilter")
struct EventFilterTests {
    private func filter(_ change: (inout TaskQuery) -> Void) -> EventFilter {
        var query = TaskQuery()
        change(&query)
        return EventFilter(query)
    }

    @Test("without filters accepts every event")
    func nothing() {
        for kind in [StoredEvent.Kind.state(.failed), .attempt, .redirect, .challenge, .deleted] {
            #expect(filter { _ in }.matches(.sample(1, task: 1, kind)))
        }
    }

    @Test("compares session, kind, parent and labels, all of them")
    func members() {
        let event = StoredEvent.sample(
            1, session: "up", taskKind: .callback, parent: 7, labels: ["team": "a", "stage": "live"])
        #expect(filter { $0.sessions = ["up", "other"] }.matches(event))
        #expect(!filter { $0.sessions = ["other"] }.matches(event))
        #expect(!filter { $0.sessions = [] }.matches(event))
        #expect(filter { $0.kind = .callback }.matches(event))
        #expect(!filter { $0.kind = .data }.matches(event))
        #expect(filter { $0.parent = .sample(7) }.matches(event))
        #expect(!filter { $0.parent = .sample(8) }.matches(event))
        #expect(filter { $0.labels = ["team": "a", "stage": "live"] }.matches(event))
        #expect(!filter { $0.labels = ["team": "a", "stage": "test"] }.matches(event))
        #expect(!filter { $0.labels = ["owner": "a"] }.matches(event))
        let both = filter {
            $0.sessions = ["up"]
            $0.kind = .data
        }
        #expect(!both.matches(event))
    }

    @Test("with a state accepts the events that report it")
    func states() {
        let failed = filter { $0.states = [.failed, .canceled] }
        #expect(failed.matches(.sample(1, task: 1, .state(.failed))))
        #expect(failed.matches(.sample(1, task: 1, .state(.canceled))))
        #expect(!failed.matches(.sample(1, task: 1, .state(.running))))
        #expect(!failed.matches(.sample(1, task: 1, .attempt)))
        #expect(!failed.matches(.sample(1, task: 1, .deleted)))
        #expect(failed.matches(TaskRecord.sample(1, state: .failed)))
        #expect(!failed.matches(TaskRecord.sample(1, state: .running)))
    }

    @Test("compares when the task was created, not when the event was")
    func creation() {
        let event = StoredEvent.sample(900, task: 100)
        let created = TaskID.sample(100).timestamp
        #expect(filter { $0.createdAfter = created.adding(.milliseconds(-1)) }.matches(event))
        #expect(!filter { $0.createdAfter = created }.matches(event))
        #expect(filter { $0.createdBefore = created.adding(.milliseconds(1)) }.matches(event))
        #expect(!filter { $0.createdBefore = created }.matches(event))
        #expect(!filter { $0.createdAfter = .latest }.matches(event))
    }

    @Test("accepts the events of the selected sessions only without another filter")
    func news() {
        #expect(filter { _ in }.wantsNews(of: "up"))
        #expect(filter { $0.sessions = ["up"] }.wantsNews(of: "up"))
        #expect(!filter { $0.sessions = ["other"] }.wantsNews(of: "up"))
        let time = TaskID.sample(100).timestamp
        let changes: [(inout TaskQuery) -> Void] = [
            { $0.states = [.failed] }, { $0.kind = .data }, { $0.parent = .sample(7) }, { $0.labels = ["team": "a"] },
            { $0.createdAfter = time }, { $0.createdBefore = time },
        ]
        for change in changes { #expect(!filter(change).wantsNews(of: "up")) }
    }
}
