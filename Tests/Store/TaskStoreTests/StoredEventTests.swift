import ErrandTaskStore
import Testing

@Suite("StoredEvent")
struct StoredEventTests {
    @Test("Each kind of event has a unique name, from which it is read again")
    func names() {
        let kinds = TaskState.allCases.map { StoredEvent.Kind.state($0) } + [.attempt, .redirect, .challenge, .deleted]
        #expect(Set(kinds.map(\.name)).count == kinds.count)
        for kind in kinds { #expect(StoredEvent.Kind(name: kind.name) == kind) }
        #expect(StoredEvent.Kind.state(.succeeded).name == "task.succeeded")
        #expect(StoredEvent.Kind.deleted.name == "task.deleted")
    }

    @Test(
        "Other text is refused", arguments: ["", "task.", "task", "queued", "Task.queued", "task.queued ", "task.x"])
    func others(name: String) {
        #expect(StoredEvent.Kind(name: name) == nil)
    }
}
