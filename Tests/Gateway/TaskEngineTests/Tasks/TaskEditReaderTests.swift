import ErrandJSON
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import Testing

@testable import ErrandTaskEngine

@Suite("TaskEditReader")
struct TaskEditReaderTests {
    /// 2026-11-21T12:00:00Z.
    private static let now = Timestamp(milliseconds: 1_795_262_400_000)

    private func read(_ patch: String, _ change: (inout TaskRecord.Values) -> Void = { _ in }) throws -> TaskEdit {
        var record = TaskRecord.sample(1, labels: ["a": "1", "b": "2"])
        record.change(change)
        return try TaskEditReader(record: record, now: Self.now, maxDepth: 8).read(Array(patch.utf8))
    }

    @Test("Members of the document are changed, null removes, and the others stay")
    func members() throws {
        var expected = TaskEdit()
        #expect(try read("{}") == expected)
        expected.priority = 9
        expected.notBefore = .some(nil)
        expected.deadline = .some(Self.now.adding(.seconds(60)))
        expected.bytesPerSecond = .some(4096)
        expected.labels = ["a": nil, "c": "3"]
        let patch = """
            {"priority":9,"not_before":null,"deadline":"2026-11-21T12:01:00Z","bytes_per_second":4096,
            "labels":{"a":null,"c":"3"}}
            """
        #expect(try read(patch) == expected)
    }

    @Test("Removed members have their defaults again, and all labels can be removed together")
    func removed() throws {
        let edit = try read(#"{"priority":null,"deadline":null,"bytes_per_second":null,"labels":null}"#)
        #expect(edit.priority == 5)
        #expect(edit.deadline == .some(nil))
        #expect(edit.bytesPerSecond == .some(nil))
        #expect(edit.labels == ["a": nil, "b": nil])
    }

    @Test(
        "An error is reported with its place",
        arguments: [
            (#"{"priority":10}"#, "/priority"), (#"{"not_before":"tomorrow"}"#, "/not_before"),
            (#"{"not_before":"2027-11-22T12:00:00Z"}"#, "/not_before"),
            (#"{"deadline":"2026-11-21T11:59:59Z"}"#, "/deadline"), (#"{"bytes_per_second":0}"#, "/bytes_per_second"),
            (#"{"labels":{"a":1}}"#, "/labels/a"), (#"{"session":"x"}"#, "/session"), (#"{"delay":"1s"}"#, "/delay"),
            (#"{"prioritty":1}"#, "/prioritty"), ("[]", ""), (#"{"priority":1,"priority":2}"#, "/priority"),
        ])
    func faults(patch: String, pointer: String) {
        #expect {
            try read(patch)
        } throws: { error in
            guard case TaskRejection.invalid(let problems) = error else { return false }
            return problems.map(\.pointer.description) == [pointer]
        }
    }

    @Test(
        "A member that only the gateway sets is refused as such, and not as unknown",
        arguments: ["id", "state", "revision", "attempts", "response", "created_at", "links"])
    func readOnly(name: String) {
        #expect {
            try read("{\"\(name)\":1}")
        } throws: { error in
            guard case TaskRejection.invalid(let problems) = error else { return false }
            return problems.map(\.detail) == ["it cannot be changed: the gateway sets it"]
        }
    }

    @Test("The times are checked as they would be together")
    func times() {
        #expect(throws: TaskRejection.self) {
            try read(#"{"not_before":"2026-11-21T13:00:00Z"}"#) { $0.deadline = Self.now.adding(.seconds(60)) }
        }
        #expect(throws: Never.self) {
            try read(#"{"not_before":"2026-11-21T13:00:00Z","deadline":null}"#) {
                $0.deadline = Self.now.adding(.seconds(60))
            }
        }
    }

    @Test("An edit cannot lead to more labels than a task may have")
    func labelCount() {
        let many = (0..<63).map { #""k\#($0)":"v""# }.joined(separator: ",")
        #expect(throws: TaskRejection.self) { try read(#"{"labels":{\#(many)}}"#) }
        #expect(throws: Never.self) { try read(#"{"labels":{\#(many),"a":null}}"#) }
    }

    @Test("Labels and times that an edit leaves as they are do not make it invalid")
    func others() throws {
        let edit = try read(#"{"priority":9}"#) { values in
            for number in 0..<70 { values.labels["\(number)"] = "v" }
            values.notBefore = Self.now.adding(.seconds(60))
            values.deadline = Self.now
        }
        #expect(edit.priority == 9)
    }
}
