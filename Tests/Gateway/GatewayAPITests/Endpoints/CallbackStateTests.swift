import ErrandConfiguration
import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import ErrandTime
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("The state of a callback", .timeLimit(.hang))
struct CallbackStateTests {
    private struct View: Decodable {
        struct Callback: Decodable { var url: String; var delivery: Delivery? }
        struct Failure: Decodable { var code: String }
        struct Delivery: Decodable {
            var id: String
            var state: String
            var attempts: Int
            var nextAttemptAt: String?
            var error: Failure?
        }
        var callback: Callback?
    }

    private struct List: Decodable {
        struct Task: Decodable { var id: String }
        var tasks: [Task]
    }

    @Test("is in the task after its end, from memory and after a wait")
    func delivered() async throws {
        let fixture = try GatewayFixture { $0.callbacks.allowsUnsigned = true }
        try await fixture.open {
            let members = #","callback":{"url":"hook","session":"up"}"#
            let waiting = try await fixture.create(members + #","start":"suspended""#)
            let before = try await fixture.document(View.self, .get, "/v1/tasks/\(waiting.id)")
            #expect(before.callback != nil && before.callback?.delivery == nil)
            let task = try await fixture.run(members)
            let deliveries = try await fixture.document(List.self, .get, "/v1/tasks?parent=\(task.id)")
            let id = try #require(deliveries.tasks.first?.id)
            #expect(try await fixture.task(.get, "/v1/tasks/\(id)?wait=1d").state == "succeeded")
            for query in ["", "?wait=1d", "?fields=callback"] {
                let view = try await fixture.document(View.self, .get, "/v1/tasks/\(task.id)\(query)")
                #expect(view.callback?.url == before.callback?.url)
                #expect(view.callback?.delivery?.id == id)
                #expect(view.callback?.delivery?.state == "delivered")
                #expect(view.callback?.delivery?.attempts == 1)
                #expect(view.callback?.delivery?.error == nil)
            }
        }
    }

    @Test("shows the last delivery, its attempts and its last error")
    func pending() async throws {
        let fixture = try GatewayFixture()
        let later = Timestamp.latest
        let rows: [(life: TaskState, state: String, attempts: String, error: String?, shown: String?)] = [
            (.waiting, "pending", #"{"error":{"code":"a"}},{"error":{"code":"b"}}"#, nil, "b"),
            (.suspended, "pending", #"{"error":null}"#, nil, nil), (.suspended, "pending", "", nil, nil),
            (.failed, "failed", #"{"error":{"code":"b"}}"#, #"{"code":"c"}"#, "c"),
            (.canceled, "failed", "", #"{"code":"canceled"}"#, "canceled"),
            (.succeeded, "delivered", #"{"error":{"code":"a"}},{"error":null}"#, nil, nil),
        ]
        try await fixture.open {
            for (number, row) in rows.enumerated() {
                var task = TaskRecord.sample(10 * number, session: "up", state: .failed)
                task.change {
                    $0.specification.callback = CallbackSpecification(url: "https://example.com/hook").document
                }
                _ = try await fixture.store.insert(NewTask(task))
                for copy in 1...2 {
                    var delivery = TaskRecord.sample(
                        10 * number + copy, session: "up", kind: .callback, state: copy == 1 ? .canceled : row.life)
                    delivery.change {
                        $0.parent = task.id
                        $0.attemptCount = copy
                        if copy == 2, row.life == .waiting { $0.nextAttemptAt = later }
                        $0.result.attempts = Array(row.attempts.utf8)
                        $0.result.error = row.error.map { Array($0.utf8) }
                    }
                    _ = try await fixture.store.insert(NewTask(delivery))
                }
                let view = try await fixture.document(View.self, .get, "/v1/tasks/\(task.id)")
                let delivery = try #require(view.callback?.delivery)
                #expect(delivery.id == TaskID.sample(10 * number + 2).description)
                #expect(delivery.state == row.state)
                #expect(delivery.attempts == 2)
                #expect(delivery.error?.code == row.shown)
                #expect((delivery.nextAttemptAt != nil) == (row.life == .waiting))
            }
        }
    }

    @Test("is no change to a client that waits for one: the tag of the task stays the same")
    func sameTag() async throws {
        let fixture = try GatewayFixture { $0.callbacks.allowsUnsigned = true }
        try await fixture.open {
            let task = try await fixture.run(#","callback":{"url":"hook","session":"up"}"#)
            let path = "/v1/tasks/\(task.id)"
            let known = ["If-None-Match: \"r\(task.revision)\""]
            let polled = try await fixture.response(.get, path + "?wait=0&wait_for=change", fields: known)
            #expect(polled.status == .notModified)
            #expect(polled.headers[.eTag] == "\"r\(task.revision)\"")
            // A plain read has the delivery, which the tag does not cover.
            for target in [path, path + "?wait=1d", path + "?fields=callback"] {
                let read = try await fixture.response(.get, target, fields: known)
                #expect(read.status == .ok, "\(target)")
                #expect(read.text.contains(#""delivery":{"id":"#), "\(read.text)")
            }
            let others = try await fixture.response(.get, path + "?fields=state,finished_at", fields: known)
            #expect(others.status == .notModified)
            let changed = try await fixture.response(
                .get, path + "?wait=1d&wait_for=change", fields: ["If-None-Match: \"r0\""])
            #expect(changed.status == .ok)
            #expect(changed.text.contains(#""delivery":{"id":"#), "\(changed.text)")
        }
    }

    @Test("is left out if the delivery is damaged: its task is shown")
    func damagedDelivery() async throws {
        let fixture = try GatewayFixture { $0.callbacks.allowsUnsigned = true }
        try await fixture.open {
            let task = try await fixture.run(#","callback":{"url":"hook","session":"up"}"#)
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .lastChild = operation {
                    throw TaskStoreError(.corrupt, "The task store contains an invalid value")
                }
            }
            for query in ["", "?wait=1d"] {
                let view = try await fixture.document(View.self, .get, "/v1/tasks/\(task.id)\(query)")
                #expect(view.callback != nil)
                #expect(view.callback?.delivery == nil)
            }
            fixture.store.intervene(nil)
        }
    }

    @Test("costs a task without a callback no read")
    func withoutCallback() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.run()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .lastChild = operation { throw .readTimedOut }
            }
            #expect(try await fixture.response(.get, "/v1/tasks/\(task.id)").status == .ok)
            #expect(try await fixture.response(.get, "/v1/tasks/\(task.id)?wait=1d").status == .ok)
            fixture.store.intervene(nil)
        }
    }
}
