import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("A client's retry")
struct TaskRepeatTests {
    private static let now = Timestamp(milliseconds: 1_795_262_400_000)

    /// An edit of everything that a client can change.
    private static let edit: TaskEdit = {
        var edit = TaskEdit()
        edit.priority = 9
        edit.notBefore = .some(now.adding(.seconds(60)))
        edit.deadline = .some(now.adding(.seconds(120)))
        edit.labels = ["team": "billing"]
        edit.bytesPerSecond = .some(4096)
        return edit
    }()

    static let documents: [(kind: TaskKind, document: [UInt8])] = [
        (.data, Array(#"{"session":"up"}"#.utf8)),
        (.callback, CallbackMessage(id: "1", url: "https://example.com/hook", body: Array("{}".utf8)).document),
    ]

    @Test("The edit of these tests changes each property that an edit has")
    func completeEdit() {
        // A property that changes nothing is nil, or an empty dictionary.
        let unset = Mirror(reflecting: Self.edit).children.filter { Mirror(reflecting: $0.value).children.isEmpty }
        #expect(unset.compactMap(\.label) == [])
    }

    @Test("It keeps all that an edit has changed, except the times", arguments: documents)
    func keepsEdits(kind: TaskKind, document: [UInt8]) async throws {
        var record = TaskRecord.sample(1, session: "up", kind: kind, state: .failed)
        record.change { $0.specification.task = document }
        let edited = Self.edit.applied(to: record.values)
        let (before, after) = (Self.members(record.values), Self.members(edited))
        let copy = Self.members(try await repetition(of: TaskRecord(edited)).values)
        let changed = after.filter { before[$0.key] != $0.value }
        let lost = changed.filter { copy[$0.key] != $0.value }
        #expect(changed.count == Mirror(reflecting: Self.edit).children.count)
        #expect(lost.keys.sorted() == ["deadline", "notBefore"])
    }

    /// Returns the members of a record by their names, as texts.
    private static func members(_ values: TaskRecord.Values) -> [String: String] {
        Mirror(reflecting: values).children.reduce(into: [:]) { members, child in
            if let label = child.label { members[label] = String(reflecting: child.value) }
        }
    }

    /// Returns the task that a retry creates.
    private func repetition(of record: TaskRecord) async throws -> TaskRecord {
        let decoder = TaskDecoder(
            sessions: try .upAndCallbacks(), caller: .anonymous, maxDepth: 16, now: { Self.now })
        let repetition = try await record.kind.handler.repetition(
            of: record, overrides: nil, key: nil, by: decoder, ids: TaskIDGenerator())
        switch repetition {
        case .decoded(let task): return task.record(id: .sample(2), at: Self.now)
        case .copied(let copy): return copy
        }
    }
}
