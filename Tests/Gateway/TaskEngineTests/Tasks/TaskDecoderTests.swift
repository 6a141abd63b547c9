import ErrandConfiguration
import ErrandJSON
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("TaskDecoder")
struct TaskDecoderTests {
    /// 2026-11-21T12:00:00Z.
    private static let now = Timestamp(milliseconds: 1_795_262_400_000)

    private func decoder(default name: String? = nil, for caller: Caller = .anonymous) throws -> TaskDecoder {
        let transport = ScriptedTransport([])
        let up = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://upstream.example/v1/"))
        let other = SessionConfiguration(name: "other", baseURL: try HTTPURL("http://other.example/"))
        let logger = DispatcherFixture.logger
        let factory = SessionFactory(uploads: OneFile(), logger: logger) { _ in transport }
        return TaskDecoder(
            sessions: SessionCatalog([up, other], defaultName: name, factory: factory, logger: logger),
            caller: caller, maxDepth: 16, now: { Self.now })
    }

    /// Upload files with only `here.txt`.
    private struct OneFile: UploadFiles {
        func source(of name: String) throws(SessionError) -> any BodySource {
            guard name == "here.txt" else { throw SessionError(.fileNotFound, "There is no such file") }
            return MemorySource(Array("content".utf8))
        }
    }

    private func decode(_ document: String) async throws -> AcceptedTask {
        try await decoder().decode(Array(document.utf8))
    }

    /// Returns the errors of a document by pointer; `nil` if there are none.
    private func faults(_ document: String) async throws -> [String: [String]]? {
        do {
            _ = try await decode(document)
            return nil
        } catch TaskRejection.invalid(let problems) {
            return Dictionary(grouping: problems, by: \.pointer.description).mapValues { $0.map(\.detail) }
        }
    }

    @Test("The placeholder of a secret is not taken for the secret")
    func placeholder() async throws {
        let faults = try await faults(#"{"session":"up","headers":{"Authorization":"[redacted]","X-A":"b"}}"#)
        #expect(faults?.keys.sorted() == ["/headers/Authorization"])
        #expect(faults?["/headers/Authorization"]?.first?.contains("write the secret itself") == true)
    }

    @Test("A download to a file needs a method whose response has content")
    func headDownload() async throws {
        let faults = try await faults(
            #"{"session":"up","kind":"download","method":"head","download":{"destination":"a"}}"#)
        #expect(faults?["/method"] == ["the response to HEAD has no content for the file; use GET"])
        #expect(try await self.faults(#"{"session":"up","kind":"download","method":"HEAD"}"#) == nil)
    }

    @Test("A session is the only required member, and not even that with a default session")
    func least() async throws {
        let task = try await decode(#"{"session":"up"}"#)
        #expect(task.session == "up")
        #expect(task.priority == 5)
        #expect(task.labels.isEmpty)
        #expect(task.prepared?.method == .get)
        #expect(task.prepared?.shownURL == "http://upstream.example/v1/")
        #expect(try await decoder(default: "other").decode(Array("{}".utf8)).session == "other")
        #expect(try await faults("{}")?.keys.sorted() == ["/session"])
    }

    @Test(
        "A session that the caller must not use is forbidden, existing or not, before any other error is reported",
        arguments: ["other", "unknown", "UP", ""])
    func forbidden(session: String) async throws {
        let caller = Caller(tokenName: "ci", scopes: [.tasksWrite], sessions: ["up", "gone"])
        let decoder = try decoder(default: "other", for: caller)
        let document = #"{"session":"\#(session)","method":7}"#
        await #expect { try await decoder.decode(Array(document.utf8)) } throws: { error in
            if case TaskRejection.forbidden(session) = error { true } else { false }
        }
        await #expect { try await decoder.decode(Array("{}".utf8)) } throws: { error in
            if case TaskRejection.forbidden(nil) = error { true } else { false }
        }
        #expect(try await decoder.decode(Array(#"{"session":"up"}"#.utf8)).session == "up")
    }

    @Test("A suggestion never names a session that the caller must not use")
    func hints() async throws {
        let caller = Caller(tokenName: "ci", scopes: [.tasksWrite], sessions: ["up", "othe"])
        let decoder = try decoder(for: caller)
        await #expect { try await decoder.decode(Array(#"{"session":"othe"}"#.utf8)) } throws: { error in
            guard case TaskRejection.invalid(let problems) = error else { return false }
            return problems.map(\.detail) == [#"unknown session "othe""#]
        }
    }

    @Test("Every member of a task is read")
    func everything() async throws {
        let task = try await decode(
            """
            {"session":"up","kind":"data","method":"put","path":"items/1?x=1","headers":{"X-One":"1","User-Agent":null},
            "body":{"json":{"price":1.10}},"request_serializer":"json","response_serializer":"raw","priority":9,
            "timeouts":{"connect":"250ms","idle":5,"total":"2m"},"labels":{"team":"billing"},"start":"now"}
            """)
        #expect(task.priority == 9)
        #expect(task.labels == ["team": "billing"])
        #expect(task.prepared?.method == .put)
        #expect(task.prepared?.shownURL == "http://upstream.example/v1/items/1?x=1")
        #expect(task.prepared?.responseSerializer == .raw)
        let transfer = try #require(task.prepared).transfer
        #expect(transfer.timeouts.connect == .milliseconds(250))
        #expect(transfer.timeouts.idle == .seconds(5))
        #expect(transfer.timeouts.total == .seconds(120))
        #expect(task.prepared?.bodySize == Int64(#"{"price":1.10}"#.utf8.count))
    }

    @Test("A task may start suspended")
    func suspended() async throws {
        #expect(try await decode(#"{"session":"up","start":"suspended"}"#).startsSuspended)
        #expect(try await !decode(#"{"session":"up","start":"now"}"#).startsSuspended)
    }

    @Test("A task has its times, its ordering key and its form's idempotency key")
    func dispatch() async throws {
        let task = try await decoder().decode(
            Array(
                """
                {"session":"up","delay":"90s","deadline":"2026-11-21T14:00:00+01:00","ordering_key":"customer-42",
                "idempotency_key":"k 1","retry":{"max_attempts":9},"path":"a"}
                """.utf8), as: .batchItem)
        #expect(
            task.times
                == TaskTimes(delay: .seconds(90), deadline: Self.now.adding(.seconds(3600)))
        )
        #expect(task.orderingKey == "customer-42")
        #expect(task.claim?.key == IdempotencyKey("k 1"))
        let retry = try TaskDocuments.retry(of: TaskSpecification(task: task.document, request: []))
        #expect(retry.maxAttempts == 9)
    }

    @Test("A delay and the patience for content begin when the task is created, also if the clock was set back since")
    func durations() async throws {
        let ids = TaskIDGenerator(now: { Self.now })
        let created = Self.now.adding(.seconds(-28_800))
        let delayed = try await decode(#"{"session":"up","delay":"10m"}"#).record(id: ids.next(), at: created)
        #expect(delayed.notBefore == created.adding(.seconds(600)))
        #expect(delayed.isDelayed)
        #expect(delayed.state == .scheduled)
        let upload = try await decode(#"{"session":"up","kind":"upload","method":"PUT","body":{"content":"later"}}"#)
            .record(id: ids.next(), at: created)
        #expect(upload.content?.awaitedUntil == created.adding(UploadTaskHandler.patience))
    }

    @Test("A task is scheduled before its time, queued after it, and suspended if it starts so")
    func states() async throws {
        let ids = TaskIDGenerator(now: { Self.now })
        for (members, state) in [
            (#""not_before":"2026-11-21T12:00:00.001Z""#, TaskState.scheduled),
            (#""not_before":"2026-11-21T12:00:00Z""#, .queued), (#""delay":0"#, .queued),
            (#""not_before":"2027-01-01T00:00:00Z","start":"suspended""#, .suspended),
        ] {
            let record = try await decode(#"{"session":"up",\#(members)}"#).record(id: ids.next(), at: Self.now)
            #expect(record.state == state)
            #expect(record.notBefore != nil)
            #expect(record.readyAt == max(record.notBefore ?? Self.now, Self.now))
            #expect(record.createdAt == Self.now)
        }
    }

    @Test("A schedule's task has a delay from each of its times, and neither a time nor a key of its own")
    func schedule() async throws {
        let text = #"{"task":{"session":"up","delay":5,"not_before":null,"deadline":"x","idempotency_key":"a","x":1}}"#
        let document = try JSONDocument.parse(Array(text.utf8))
        let value = try #require(document.root.object?["task"])
        await #expect {
            try await decoder().decode(value, of: document, at: JSONPointer(["task"]), as: .schedule)
        } throws: { error in
            guard case TaskRejection.invalid(let problems) = error else { return false }
            return problems.map(\.pointer.description)
                == ["/task/not_before", "/task/deadline", "/task/idempotency_key", "/task/x"]
        }
    }

    @Test("A key from outside the document is stored with it, and sent upstream with every attempt")
    func keyBeside() async throws {
        let key = try #require(IdempotencyKey("k\"1"))
        let task = try await decoder().decode(Array(#"{ "session":"up" }"#.utf8), as: .single, key: key)
        #expect(String(decoding: task.document, as: UTF8.self) == #"{"session":"up","idempotency_key":"k\"1"}"#)
        let request = try TaskDocuments.request(of: TaskSpecification(task: task.document, request: []))
        #expect(request.idempotencyKey == "k\"1")
    }

    @Test("A response serializer is a name, or a list of names that are tried in order")
    func responseSerializers() async throws {
        let one = try await decode(#"{"session":"up","response_serializer":"xml"}"#)
        #expect(one.prepared?.responseSerializer == .xml)
        let several = try await decode(#"{"session":"up","response_serializer":["plist","json","raw"]}"#)
        #expect(several.prepared?.responseSerializer == ResponseSerializerChoice([.plist, .json, .raw]))
    }

    @Test("Parameters are encoded by the task's request serializer")
    func requestSerializers() async throws {
        for (name, content) in [("form", "a=1"), ("json", #"{"a":1}"#)] {
            let task = try await decode(
                #"{"session":"up","method":"POST","request_serializer":"\#(name)","parameters":{"a":1}}"#)
            #expect(task.prepared?.bodySize == Int64(content.utf8.count))
        }
    }

    @Test("A body is sent from a file")
    func fileBody() async throws {
        let task = try await decode(#"{"session":"up","body":{"file":"here.txt"}}"#)
        #expect(task.prepared?.method == .post)
        #expect(task.prepared?.bodySize == 7)
        #expect(task.prepared?.transfer.headers[.contentType] == "application/octet-stream")
    }

    @Test("A body of parts has texts, bytes and files, with their names, types and header fields")
    func parts() async throws {
        let task = try await decode(
            """
            {"session":"up","body":{"parts":[{"name":"a","text":"1"},
            {"name":"b","base64":"AAE=","filename":"b.bin","content_type":"application/x-b","headers":{"X-One":"1"}},
            {"name":"c","file":"here.txt"}]}}
            """)
        #expect(task.prepared?.transfer.headers[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect((task.prepared?.bodySize ?? 0) > 200)
    }

    @Test(
        "An error is reported with the pointer of its member",
        arguments: [
            (#"3"#, ""), (#"{"session":null}"#, "/session"), (#"{"session":false}"#, "/session"),
            (#"{"session":"nope"}"#, "/session"),
            (#"{"session":"up","session":"up"}"#, "/session"), (#"{"session":"up","x":1}"#, "/x"),
            (#"{"session":"up","a/b~c":1}"#, "/a~1b~0c"), (#"{"session":"up","":1}"#, "/"),
            (#"{"session":"up","kind":"upload"}"#, "/body"), (#"{"session":"up","kind":"Data"}"#, "/kind"),
            (#"{"session":"up","start":"later"}"#, "/start"), (#"{"session":"up","method":""}"#, "/method"),
            (#"{"session":"up","path":"//evil.example/"}"#, "/path"), (#"{"session":"up","path":["x"]}"#, "/path"),
            (#"{"session":"up","priority":1.5}"#, "/priority"), (#"{"session":"up","priority":1e99}"#, "/priority"),
            (#"{"session":"up","headers":[]}"#, "/headers"), (#"{"session":"up","headers":{"":"x"}}"#, "/headers/"),
            (#"{"session":"up","headers":{"Connection":"close"}}"#, "/headers/Connection"),
            (#"{"session":"up","labels":{"":"x"}}"#, "/labels/"), (#"{"session":"up","labels":null}"#, nil),
            (#"{"session":"up","labels":{"a\u0000b":"x"}}"#, "/labels/a\u{0}b"),
            (#"{"session":"up","labels":{"a":"\u0000"}}"#, "/labels/a"),
            (#"{"session":"up","timeouts":{"total":-1}}"#, "/timeouts/total"),
            (#"{"session":"up","timeouts":{"total":"31d"}}"#, nil),
            (#"{"session":"up","timeouts":{"idle":"32d"}}"#, "/timeouts/idle"),
            (#"{"session":"up","timeouts":{"connect":"0s"}}"#, "/timeouts/connect"),
            (#"{"session":"up","timeouts":{"total":"99999999999999999999d"}}"#, "/timeouts/total"),
            (#"{"session":"up","request_serializer":"yaml"}"#, "/request_serializer"),
            (#"{"session":"up","response_serializer":"yaml"}"#, "/response_serializer"),
            (#"{"session":"up","response_serializer":[]}"#, "/response_serializer"),
            (#"{"session":"up","response_serializer":["xml","yaml"]}"#, "/response_serializer/1"),
            (#"{"session":"up","response_serializer":["xml","json","xml"]}"#, "/response_serializer/2"),
            (#"{"session":"up","method":"POST","body":"x"}"#, "/body"),
            (#"{"session":"up","method":"POST","body":{"parts":[]}}"#, "/body/parts"),
            (#"{"session":"up","method":"POST","body":{"base64":"a"}}"#, "/body/base64"),
            (#"{"session":"up","method":"POST","body":{"text":"a","json":null}}"#, "/body"),
            (#"{"session":"up","method":"POST","body":{}}"#, "/body"),
            (#"{"session":"up","method":"POST","body":{"text":null}}"#, "/body"),
            (#"{"session":"up","method":"POST","body":{"content":"later"}}"#, "/body/content"),
            (#"{"session":"up","method":"POST","body":{"file":"../here.txt"}}"#, "/body/file"),
            (#"{"session":"up","method":"POST","body":{"parts":{}}}"#, "/body/parts"),
            (#"{"session":"up","method":"POST","body":{"parts":[1]}}"#, "/body/parts/0"),
            (#"{"session":"up","method":"POST","body":{"parts":[{"text":"a"}]}}"#, "/body/parts/0/name"),
            (#"{"session":"up","method":"POST","body":{"parts":[{"name":"a"}]}}"#, "/body/parts/0"),
            (
                #"{"session":"up","method":"POST","body":{"parts":[{"name":"a","text":"","file":"x"}]}}"#,
                "/body/parts/0"
            ),
            (
                #"{"session":"up","method":"POST","body":{"parts":[{"name":"a","text":""},{"name":"b","file":"no"}]}}"#,
                "/body/parts/1/file"
            ),
            (
                #"{"session":"up","method":"POST","body":{"parts":[{"name":"a","text":"","filname":"x"}]}}"#,
                "/body/parts/0/filname"
            ),
            (
                #"{"session":"up","method":"POST","body":{"parts":[{"name":"a","text":"","headers":{"X-A":1}}]}}"#,
                "/body/parts/0/headers/X-A"
            ),
            (#"{"session":"up","deadline":null}"#, nil), (#"{"session":"up","retry":{}}"#, nil),
            (#"{"session":"up","delay":"366d"}"#, "/delay"), (#"{"session":"up","delay":-1}"#, "/delay"),
            (#"{"session":"up","not_before":"x"}"#, "/not_before"),
            (#"{"session":"up","not_before":"2027-11-22T12:00:01Z"}"#, "/not_before"),
            (#"{"session":"up","not_before":"2026-11-21T13:00:00Z","delay":1}"#, "/delay"),
            (#"{"session":"up","deadline":"2026-11-21T12:00:00Z"}"#, "/deadline"),
            (#"{"session":"up","deadline":"2026-11-21T12:01:00Z","delay":60}"#, "/deadline"),
            (#"{"session":"up","ordering_key":""}"#, "/ordering_key"),
            (#"{"session":"up","bytes_per_second":1023}"#, "/bytes_per_second"),
            (#"{"session":"up","bytes_per_second":"1MiB"}"#, "/bytes_per_second"),
            (#"{"session":"up","bytes_per_second":1024}"#, nil), (#"{"session":"up","bytes_per_second":null}"#, nil),
            (#"{"session":"up","ordering_key":7}"#, "/ordering_key"),
            (#"{"session":"up","idempotency_key":"a"}"#, "/idempotency_key"),
            (#"{"session":"up","retry":{"budget":{}}}"#, "/retry/budget"),
            (#"{"session":"up","download":{}}"#, "/download"),
            (#"{"session":"up","kind":"download"}"#, nil),
            (#"{"session":"up","kind":"download","download":null}"#, nil),
            (#"{"session":"up","kind":"download","download":[]}"#, "/download"),
            (#"{"session":"up","kind":"download","download":{"destination":"{date}/{filename}","max_bytes":1}}"#, nil),
            (#"{"session":"up","kind":"download","download":{"destination":"../a"}}"#, "/download/destination"),
            (#"{"session":"up","kind":"download","download":{"destination":7}}"#, "/download/destination"),
            (#"{"session":"up","kind":"download","download":{"on_conflict":"rename"}}"#, "/download/on_conflict"),
            (#"{"session":"up","kind":"download","download":{"sha256":"ab"}}"#, "/download/sha256"),
            (#"{"session":"up","kind":"download","download":{"md5":"ab"}}"#, "/download/md5"),
            (#"{"session":"up","kind":"download","download":{"md5":"5d41402abc4b2a76b9719d911017c592"}}"#, nil),
            (
                #"{"session":"up","kind":"download","download":{"md5":"5d41402abc4b2a76b9719d911017c592","#
                    + #""sha1":"aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"}}"#, "/download/md5"
            ),
            (#"{"session":"up","kind":"download","download":{"connections":4}}"#, "/download/connections"),
            (#"{"session":"up","kind":"download","download":{"destination":"a","connections":16}}"#, nil),
            (
                #"{"session":"up","kind":"download","download":{"destination":"a","connections":17}}"#,
                "/download/connections"
            ),
            (#"{"session":"up","kind":"download","download":{"max_bytes":0}}"#, "/download/max_bytes"),
            (#"{"session":"up","kind":"download","download":{"name":"a"}}"#, "/download/name"),
            (#"{"session":"up","kind":"download","headers":{"range":"bytes=0-1"}}"#, "/headers/range"),
            (#"{"session":"up","kind":"download","response_serializer":"json"}"#, "/response_serializer"),
        ])
    func fault(document: String, pointer: String?) async throws {
        #expect(try await faults(document)?.keys.sorted() == pointer.map { [$0] })
    }

    @Test("All errors are reported at once, each once")
    func allAtOnce() async throws {
        let faults = try await faults(
            """
            {"sesion":"up","kind":"callback","path":1,"headers":{"A":1,"Host":"x"},"labels":{"a":1,"b":2},
            "timeouts":{"idle":true},"retry":[],"priority":"high"}
            """)
        #expect(
            faults?.keys.sorted() == [
                "/headers/A", "/kind", "/labels/a", "/labels/b", "/path", "/priority", "/retry", "/sesion", "/session",
                "/timeouts/idle",
            ])
        #expect(faults?.values.allSatisfy { $0.count == 1 } == true)
        #expect(faults?["/sesion"]?.first?.contains("session") == true)
    }

    @Test("With a session, its own errors about the request are reported together with the others")
    func sessionFaults() async throws {
        let faults = try await faults(
            #"{"session":"up","path":"http://elsewhere.example/","headers":{"Host":"x","A":1},"priority":11}"#)
        #expect(faults?.keys.sorted() == ["/headers/A", "/headers/Host", "/path", "/priority"])
    }

    @Test("Labels are limited in number and length")
    func labels() async throws {
        let many = (0..<65).map { #""k\#($0)":"v""# }.joined(separator: ",")
        #expect(try await faults(#"{"session":"up","labels":{\#(many)}}"#)?.keys.sorted() == ["/labels"])
        let long = String(repeating: "x", count: 257)
        #expect(try await faults(#"{"session":"up","labels":{"a":"\#(long)"}}"#)?.keys.sorted() == ["/labels/a"])
        #expect(try await faults(#"{"session":"up","labels":{"a":"\#(long.dropLast())"}}"#) == nil)
    }

    @Test(
        "A document that is not JSON is only reported as malformed",
        arguments: ["", "{", "{\"session\":\"up\"}}", "{,}"])
    func malformed(document: String) async {
        await #expect {
            try await decode(document)
        } throws: { error in
            if case TaskRejection.malformed = error { true } else { false }
        }
    }

    @Test("A document that is nested too deep is reported with the limit, its setting and the place")
    func tooDeep() async throws {
        do {
            _ = try await decode(#"{"parameters":[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]}"#)
            Issue.record("accepted")
        } catch let error as TaskRejection {
            #expect(
                error.reason == "expected at most 16 levels of arrays and objects (server.max_depth), "
                    + "found more at line 1, column 30")
        }
    }
}
