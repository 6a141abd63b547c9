import ErrandJSON
import ErrandSupport
import ErrandTaskAdmission
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import FoundationEssentials
import Testing

@testable import ErrandTaskEngine

@Suite("TaskRenderer")
struct TaskRendererTests {
    private func text(
        _ record: TaskRecord, _ live: LiveTaskState = LiveTaskState(), view: TaskRenderer.View = .full
    ) -> String {
        String(decoding: TaskRenderer.bytes(of: record, live: live, view: view), as: UTF8.self)
    }

    private func succeeded(_ document: String) -> TaskRecord {
        var record = TaskRecord.sample(1, state: .succeeded)
        record.change {
            $0.result.response = Array(#""status":200"#.utf8)
            $0.result.body = .sample(.inline(Array(document.utf8)))
            $0.result.object = .slice(0..<document.utf8.count)
        }
        return record
    }

    @Test("A task without a result has every member, and links to its possible operations")
    func queued() throws {
        var record = TaskRecord.sample(1, labels: ["b": "2", "a": "\"1\""])
        record.change { $0.specification.contentBytes = 8 }
        let path = "/v1/tasks/\(record.id)"
        #expect(
            text(record) == """
                {"id":"\(record.id)","session":"github","kind":"data","state":"queued","done":false,"revision":1,\
                "created_at":"\(record.createdAt)","updated_at":"\(record.createdAt)","not_before":null,\
                "next_attempt_at":null,"deadline":null,"started_at":null,\
                "finished_at":null,"expires_at":null,"hold":null,"request":{"method":"GET"},\
                "content":null,"progress":{"upload":{"completed":0,"total":8,"fraction":0,"bytes_per_second":null,\
                "time_left":null},"download":{"completed":0,"total":null,"fraction":null,"bytes_per_second":null,\
                "time_left":null}},"attempts":[],"response":null,"error":null,"resume":{"available":false,"bytes":0},\
                "labels":{"a":"\\"1\\"","b":"2"},"priority":5,"ordering_key":null,"bytes_per_second":null,\
                "retry_of":null,"retried_by":null,"parent":null,"schedule":null,"trace":null,"callback":null,\
                "links":{"self":"\(path)","events":"\(path)/events","cancel":"\(path)/cancel","suspend":"\(path)/suspend"}}
                """)
    }

    @Test("A document has only the requested members, and the identifier")
    func members() throws {
        let record = TaskRecord.detailed(1)
        func names(_ members: TaskMembers) throws -> Set<String> {
            let bytes = TaskRenderer.bytes(of: record, live: LiveTaskState(), view: .full, members: members)
            return Set(try #require(try JSONDocument.parse(bytes).root.object).members.map { String($0.key) })
        }
        for member in TaskMember.allCases {
            #expect(try names(TaskMembers([member])) == ["id", "\(member.name)"])
        }
        #expect(try names(.all) == Set(TaskMember.allCases.map { "\($0.name)" }))
        #expect(TaskMembers(TaskMember.allCases) == .all)
        let bytes = TaskRenderer.bytes(
            of: .sample(1), live: LiveTaskState(), view: .full, members: TaskMembers([.priority, .state]))
        #expect(
            String(decoding: bytes, as: UTF8.self) == #"{"id":"\#(TaskID.sample(1))","state":"queued","priority":5}"#)
    }

    @Test("A query reads what the members show")
    func narrowing() {
        func narrowed(_ members: TaskMember...) -> TaskQuery { TaskMembers(members).narrowing(TaskQuery()) }
        #expect(TaskMembers.all.narrowing(TaskQuery()) == TaskQuery())
        let bare = narrowed(.state, .finishedAt, .hold)
        #expect(!bare.showsLabels && !bare.showsDocuments && bare.inlineObjectBytes == 0)
        #expect(narrowed(.labels).showsLabels && !narrowed(.labels).showsDocuments)
        for member in [TaskMember.request, .progress, .attempts, .error, .callback, .links] {
            #expect(narrowed(member).showsDocuments && narrowed(member).inlineObjectBytes == 0)
        }
        #expect(narrowed(.response).showsDocuments && narrowed(.response).inlineObjectBytes > 0)
    }

    @Test("An error has the path of the content that the upstream sent with it")
    func errorBody() {
        var record = succeeded("{}")
        record.change {
            $0.state = .failed
            $0.result.error = Array(#"{"code":"unacceptable_status"}"#.utf8)
        }
        let path = "/v1/tasks/\(record.id)/body"
        for view in [TaskRenderer.View.full, .listed] {
            #expect(text(record, view: view).contains(#""error":{"code":"unacceptable_status","body":"\#(path)"},"#))
        }
        for body in [StoredBody(size: 0, sha256: [], contentType: nil, location: .inline([])), nil] {
            record.change {
                $0.result.body = body
                $0.result.object = .none
            }
            #expect(text(record).contains(#""error":{"code":"unacceptable_status"},"resume""#))
        }
    }

    @Test("An object is copied byte for byte, with its duplicates, numbers and spaces")
    func exactObject() {
        let document = #"{ "id":12345678901234567890,"price":1.10 , "a":null,"a":2 }"#
        #expect(text(succeeded(document)).contains(#""response":{"status":200,"object":\#(document),"body":{"#))
        #expect(text(succeeded(document), view: .listed).contains(#""object":\#(document),"body""#))
    }

    @Test("A list omits an object of more than 8 KiB, and says so")
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
        record.change { $0.result = result }
        for view in [TaskRenderer.View.full, .listed] {
            let document = try JSONDecoder().decode(Document.self, from: Data(text(record, view: view).utf8))
            #expect(document.response?.body?.size == result.body?.size)
            #expect(document.links["body"] == result.body.map { _ in "/v1/tasks/\(record.id)/body" })
            #expect(document.links["cancel"] == nil)
        }
    }

    @Test("A slice beyond its body is omitted, not read")
    func brokenSlice() {
        var record = succeeded("{}")
        record.change { $0.result.object = .slice(0..<3) }
        #expect(text(record).contains(#""object":null,"object_omitted":true"#))
    }

    @Test("During a transfer, the progress is the transfer's")
    func progress() {
        let record = TaskRecord.sample(1, state: .running)
        let progress = TransferProgress(received: 25, receiveTotal: 100)
        #expect(
            text(record, LiveTaskState(progress: progress)).contains(
                #""download":{"completed":25,"total":100,"fraction":0.25"#))
        var done = succeeded("{}")
        done.change { $0.specification.contentBytes = 8 }
        #expect(text(done).contains(#""upload":{"completed":8,"total":8,"fraction":1"#))
        #expect(text(done).contains(#""download":{"completed":2,"total":2,"fraction":1"#))
    }

    @Test("A transfer has rates, and the time left in whole seconds as far as its total is known")
    func rates() {
        let record = TaskRecord.sample(1, state: .running)
        let rates = TransferRates(sent: 10, received: 30)
        let progress = TransferProgress(sent: 1, received: 25, receiveTotal: 100)
        let known = text(record, LiveTaskState(progress: progress, rates: rates))
        #expect(known.contains(#""completed":1,"total":null,"fraction":null,"bytes_per_second":10,"time_left":null}"#))
        #expect(known.contains(#""fraction":0.25,"bytes_per_second":30,"time_left":"3s"}"#))
        for (rates, expected) in [
            (TransferRates(received: 0), #""bytes_per_second":0,"time_left":null"#),
            (TransferRates(), #""bytes_per_second":null,"time_left":null"#),
            (TransferRates(received: .max), #""time_left":"1s""#),
        ] {
            #expect(text(record, LiveTaskState(progress: progress, rates: rates)).contains(expected), "\(expected)")
        }
        let done = TransferProgress(received: 100, receiveTotal: 100)
        #expect(text(record, LiveTaskState(progress: done, rates: rates)).contains(#""time_left":"0s""#))
    }

    @Test("A download that can be resumed shows the bytes that it has; null where they were not read")
    func resume() {
        func shown(_ kind: TaskKind, _ state: TaskState, _ bytes: Int64?) -> String {
            let record = TaskRecord.sample(1, kind: kind, state: state)
            let document = TaskRenderer.bytes(
                of: record, live: LiveTaskState(), view: .full, members: TaskMembers([.resume]),
                details: TaskDetails(resumableBytes: bytes))
            return String(String(decoding: document, as: UTF8.self).split(separator: #""resume":"#)[1].dropLast())
        }
        #expect(shown(.download, .failed, 512) == #"{"available":true,"bytes":512}"#)
        #expect(shown(.download, .waiting, 0) == #"{"available":false,"bytes":0}"#)
        #expect(shown(.download, .running, nil) == "null")
        #expect(shown(.download, .succeeded, nil) == #"{"available":false,"bytes":0}"#)
        #expect(shown(.data, .failed, nil) == #"{"available":false,"bytes":0}"#)
    }

    @Test("The reason why a task waits has a name, and is null without one")
    func hold() {
        #expect(text(.sample(1)).contains(#""hold":null"#))
        for (reason, name) in [
            (WaitReason.sessionSuspended, "session_suspended"), (.unreachable, "unreachable"),
            (.concurrency, "concurrency"),
        ] {
            #expect(text(.sample(1), LiveTaskState(waitReason: reason)).contains(#""hold":"\#(name)""#))
        }
    }

    @Test("A task shows its times, its order, its rate limit and its origin")
    func dispatch() {
        var record = TaskRecord.sample(1)
        let time = Timestamp(milliseconds: 1_795_262_400_000)
        record.change {
            $0.notBefore = time
            $0.nextAttemptAt = time.adding(.seconds(1))
            $0.deadline = time.adding(.seconds(2))
            $0.orderingKey = "customer-42"
            $0.bytesPerSecond = 4096
            $0.retryOf = .sample(2)
            $0.parent = .sample(3)
            $0.schedule = "nightly"
            $0.specification.callback = Array(#"{"url":"https://example.com/hook"}"#.utf8)
        }
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
                "ordering_key":"customer-42","bytes_per_second":4096,"retry_of":"\(TaskID.sample(2))","retried_by":null,\
                "parent":"\(TaskID.sample(3))","schedule":"nightly","trace":null,\
                "callback":{"url":"https://example.com/hook"}
                """))
    }

    @Test(
        "The links are the operations that the task's state allows",
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

    @Test("An empty progress is replaced by the stored result's")
    func noProgress() {
        var record = TaskRecord.sample(1, state: .running)
        record.change { $0.specification.contentBytes = 8 }
        #expect(
            text(record, LiveTaskState(progress: TransferProgress()))
                .contains(#""upload":{"completed":0,"total":8,"fraction":0"#))
    }
}
