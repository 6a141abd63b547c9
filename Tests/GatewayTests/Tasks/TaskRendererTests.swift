import FoundationEssentials
import Support
import TaskAdmission
import TaskStore
import Testing
import Transfer

@testable import Gateway

@Suite("TaskRenderer")
struct TaskRendererTests {
    private func text(
        _ record: TaskRecord, _ live: LiveTaskState = LiveTaskState(), view: TaskRenderer.View = .full
    ) -> String {
        String(decoding: TaskRenderer.bytes(of: record, live: live, view: view), as: UTF8.self)
    }

    private func succeeded(_ document: String) -> TaskRecord {
        var record = TaskRecord.sample(1, state: .succeeded)
        record.result.response = Array(#""status":200"#.utf8)
        record.result.body = .sample(.inline(Array(document.utf8)))
        record.result.object = .slice(0..<document.utf8.count)
        return record
    }

    @Test("A task without a result has every member, and what can be done about it")
    func queued() throws {
        var record = TaskRecord.sample(1, labels: ["b": "2", "a": "\"1\""])
        record.specification.contentBytes = 8
        let path = "/v1/tasks/\(record.id)"
        #expect(
            text(record) == """
                {"id":"\(record.id)","session":"github","kind":"data","state":"queued","done":false,"revision":1,\
                "created_at":"\(record.createdAt)","updated_at":"\(record.createdAt)","not_before":null,\
                "next_attempt_at":null,"deadline":null,"started_at":null,\
                "finished_at":null,"expires_at":null,"hold":null,"request":{"method":"GET"},\
                "progress":{"upload":{"completed":0,"total":8,"fraction":0},\
                "download":{"completed":0,"total":null,"fraction":null}},"attempts":[],"response":null,"error":null,\
                "labels":{"a":"\\"1\\"","b":"2"},"priority":5,"ordering_key":null,"bytes_per_second":null,\
                "retry_of":null,"parent":null,"schedule":null,"callback":null,\
                "links":{"self":"\(path)","events":"\(path)/events","cancel":"\(path)/cancel","suspend":"\(path)/suspend"}}
                """)
    }

    @Test("An object is passed on byte for byte, duplicates, numbers and spaces as they are")
    func exactObject() {
        let document = #"{ "id":12345678901234567890,"price":1.10 , "a":null,"a":2 }"#
        #expect(text(succeeded(document)).contains(#""response":{"status":200,"object":\#(document),"body":{"#))
        #expect(text(succeeded(document), view: .listed).contains(#""object":\#(document),"body""#))
    }

    @Test("A list leaves out an object of more than 8 KiB, and says so")
    func listedObject() {
        let fitting = "\"\(String(repeating: "x", count: 8190))\""
        let large = "\"\(String(repeating: "x", count: 8191))\""
        #expect(text(succeeded(fitting), view: .listed).contains(fitting))
        #expect(text(succeeded(large), view: .listed).contains(#""object":null,"object_omitted":true,"body":{"#))
        #expect(text(succeeded(large)).contains(large))
    }

    @Test("Each kind of stored result is JSON, with its body and its links", arguments: TaskResult.samples)
    func results(result: TaskResult) throws {
        struct Document: Decodable {
            struct Response: Decodable { var body: Body? }
            struct Body: Decodable { var size: Int64; var href: String }
            var response: Response?
            var links: [String: String]
        }
        var record = TaskRecord.sample(1, state: result.error == nil ? .succeeded : .failed)
        record.result = result
        for view in [TaskRenderer.View.full, .listed] {
            let document = try JSONDecoder().decode(Document.self, from: Data(text(record, view: view).utf8))
            #expect(document.response?.body?.size == result.body?.size)
            #expect(document.links["body"] == result.body.map { _ in "/v1/tasks/\(record.id)/body" })
            #expect(document.links["cancel"] == nil)
        }
    }

    @Test("A slice that does not fit its body is left out, not read beyond it")
    func brokenSlice() {
        var record = succeeded("{}")
        record.result.object = .slice(0..<3)
        #expect(text(record).contains(#""object":null,"object_omitted":true"#))
    }

    @Test("Progress is that of the transfer while one is under way")
    func progress() {
        let record = TaskRecord.sample(1, state: .running)
        let progress = TransferProgress(received: 25, receiveTotal: 100)
        #expect(
            text(record, LiveTaskState(progress: progress)).contains(
                #""download":{"completed":25,"total":100,"fraction":0.25"#))
        var done = succeeded("{}")
        done.specification.contentBytes = 8
        #expect(text(done).contains(#""upload":{"completed":8,"total":8,"fraction":1"#))
        #expect(text(done).contains(#""download":{"completed":2,"total":2,"fraction":1"#))
    }

    @Test("What holds a task is said by its name, and by null when nothing does")
    func hold() {
        #expect(text(.sample(1)).contains(#""hold":null"#))
        for (hold, name) in [
            (TaskHold.sessionSuspended, "session_suspended"), (.unreachable, "unreachable"),
            (.concurrency, "concurrency"),
        ] {
            #expect(text(.sample(1), LiveTaskState(hold: hold)).contains(#""hold":"\#(name)""#))
        }
    }

    @Test("A task tells its times, its order, its pace, and where it comes from")
    func dispatch() {
        var record = TaskRecord.sample(1)
        let time = Timestamp(milliseconds: 1_795_262_400_000)
        record.notBefore = time
        record.nextAttemptAt = time.adding(.seconds(1))
        record.deadline = time.adding(.seconds(2))
        record.orderingKey = "customer-42"
        record.bytesPerSecond = 4096
        record.retryOf = .sample(2)
        record.parent = .sample(3)
        record.schedule = "nightly"
        record.specification.callback = Array(#"{"url":"https://example.com/hook"}"#.utf8)
        let text = text(record)
        #expect(
            text.contains(
                """
                "not_before":"2026-11-21T12:00:00.000Z","next_attempt_at":"2026-11-21T12:00:01.000Z",\
                "deadline":"2026-11-21T12:00:02.000Z"
                """))
        #expect(
            text.contains(
                """
                "ordering_key":"customer-42","bytes_per_second":4096,"retry_of":"\(TaskID.sample(2))",\
                "parent":"\(TaskID.sample(3))","schedule":"nightly","callback":{"url":"https://example.com/hook"}
                """))
    }

    @Test(
        "The links are what can be done to a task in its state",
        arguments: [
            (.scheduled, ["cancel", "events", "run_now", "self", "suspend"]),
            (.queued, ["cancel", "events", "self", "suspend"]),
            (.running, ["cancel", "events", "self", "suspend"]),
            (.waiting, ["cancel", "events", "run_now", "self", "suspend"]),
            (.suspended, ["cancel", "events", "resume", "self"]), (.canceling, ["cancel", "events", "self"]),
            (.succeeded, ["events", "retry", "self"]), (.failed, ["events", "retry", "self"]),
            (.canceled, ["events", "retry", "self"]),
        ] as [(TaskState, [String])])
    func links(state: TaskState, names: [String]) throws {
        struct Document: Decodable { var links: [String: String] }
        let record = TaskRecord.sample(1, state: state)
        let document = try JSONDecoder().decode(Document.self, from: Data(text(record).utf8))
        #expect(document.links.keys.sorted() == names)
        #expect(document.links["run_now"].map { $0.hasSuffix("/run-now") } ?? true)
    }

    @Test("Progress that says nothing gives way to what is stored")
    func noProgress() {
        var record = TaskRecord.sample(1, state: .running)
        record.specification.contentBytes = 8
        #expect(
            text(record, LiveTaskState(progress: TransferProgress()))
                .contains(#""upload":{"completed":0,"total":8,"fraction":0"#))
    }
}
