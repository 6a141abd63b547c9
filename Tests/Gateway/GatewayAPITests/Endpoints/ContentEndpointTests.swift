import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("ContentEndpoint", .timeLimit(.hang))
struct ContentEndpointTests {
    /// The SHA-256 of `hello`.
    private static let digest = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="

    private func put(
        _ fixture: GatewayFixture, _ content: String, _ fields: String...
    ) async throws -> ServerResponse {
        let task = try await fixture.create(#","start":"suspended","kind":"upload","body":{"content":"later"}"#)
        return try await fixture.response(
            .put, "/v1/tasks/\(task.id)/content", json: content, fields: fields, type: "text/plain")
    }

    @Test("The response to content has no entity tag, because that of the task is not that of the content")
    func noTag() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let stored = try await put(fixture, "hello")
            #expect(stored.status == .noContent, "\(stored.text)")
            #expect(stored.headers[.eTag] == nil)
        }
    }

    @Test("Content is received only if the task meets the conditions of the request")
    func conditions() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for (field, status) in [
                (#"If-Match: "r99""#, HTTPResponse.Status.preconditionFailed),
                (#"If-None-Match: "r1""#, .preconditionFailed),
                (#"If-None-Match: *"#, .preconditionFailed), (#"If-Match: "r1""#, .noContent),
                ("If-Match: *", .noContent),
                (#"If-None-Match: "r99""#, .noContent),
            ] {
                let response = try await put(fixture, "hello", field)
                #expect(response.status == status, "\(field)")
            }
        }
    }

    @Test("A task that was canceled before its content came waits for none")
    func notAwaited() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(#","kind":"upload","body":{"content":"later"}"#)
            let waiting = try await fixture.response(.get, "/v1/tasks/\(task.id)").text
            #expect(waiting.contains(#""awaited_until":"#))
            let canceled = try await fixture.response(.post, "/v1/tasks/\(task.id)/cancel").text
            #expect(canceled.contains(#""content":null"#))
        }
    }

    @Test("A digest is verified, or refused if it has no algorithm that is verified")
    func digest() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for (digests, detail) in [
                (["sha-256=:\(Self.digest):"], nil), (["sha-512=:AA==:, sha-256=:\(Self.digest):"], nil),
                (["sha-512=:AA==:", "sha-256=:\(Self.digest):"], nil),
                ([#"note="a, sha-256=:AA==:", sha-256=:\#(Self.digest):"#], nil),
                ([#"note="a, sha-256=:AA==:""#], "the only digest that is verified"),
                ([#"sha-256=:\#(Self.digest):, note="a"#], "the only digest that is verified"),
                (["sha-512=:AA==:"], #"the only digest that is verified, found \"sha-512=:AA==:\""#),
                (["md5=:AA==:", "sha-512=:AA==:"], #"the only digest that is verified, found \"md5=:AA==:\""#),
                ([""], #"the only digest that is verified, found \"\""#),
                (["sha-256=:AA==:"], "with the 32 bytes of the digest"),
            ] as [([String], String?)] {
                let task = try await fixture.create(
                    #","start":"suspended","kind":"upload","body":{"content":"later"}"#)
                let response = try await fixture.response(
                    .put, "/v1/tasks/\(task.id)/content", json: "hello",
                    fields: digests.map { "Content-Digest: \($0)" }, type: "text/plain")
                #expect(response.status == (detail == nil ? .noContent : .badRequest), "\(digests): \(response.text)")
                if let detail { #expect(response.text.contains(detail), "\(response.text)") }
            }
        }
    }

    @Test("The content of a failed upload goes to its own origin only, and a retry with another body waits for content")
    func storedContentElsewhere() async throws {
        var session = try DispatcherFixture.configuration()
        session.urlScope = .any
        let fixture = try GatewayFixture(
            session: session,
            transport: ScriptedTransport([.fail(TransferError(.cannotConnect, "refused"))]))
        try await fixture.open {
            let task = try await fixture.create(
                #","kind":"upload","body":{"content":"later"},"retry":{"max_attempts":1}"#)
            let stored = try await fixture.response(
                .put, "/v1/tasks/\(task.id)/content", json: "hello", type: "text/plain")
            #expect(stored.status == .noContent, "\(stored.text)")
            #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "failed")
            let target = "/v1/tasks/\(task.id)/retry"
            let elsewhere = #""start":"suspended","path":"http://evil.example/""#
            let problem = try await fixture.document(
                ProblemDocument.self, .post, target, json: "{\(elsewhere)}", status: .unprocessableContent)
            #expect(problem.errors?.map(\.pointer) == ["/body"])
            let waiting = try await fixture.response(
                .post, target, json: #"{\#(elsewhere),"body":{"content":"later"}}"#)
            #expect(waiting.status == .accepted, "\(waiting.text)")
            #expect(waiting.text.contains(#""content":{"awaited_until":"#), "\(waiting.text)")
            let again = try await fixture.response(.post, target, json: #"{"start":"suspended","path":"b"}"#)
            #expect(again.status == .accepted, "\(again.text)")
            #expect(again.text.contains(#""content":{"size":5,"#), "\(again.text)")
        }
    }

    // MARK: Content that is passed on

    private static let stream = #","kind":"upload","body":{"content":"stream"},"retry":{"max_attempts":3}"#

    private func pass(
        _ content: String, to task: TaskDocument, _ fixture: GatewayFixture
    ) async throws -> ServerResponse {
        try await fixture.response(
            .put, "/v1/tasks/\(task.id)/content", json: content, fields: ["Transfer-Encoding: chunked"],
            type: "text/plain")
    }

    private func current(_ task: TaskDocument, _ fixture: GatewayFixture) async throws -> TaskDocument {
        try await fixture.task(.get, "/v1/tasks/\(task.id)")
    }

    /// Checks that a task waits for content that was not taken, and that its client was told to come back.
    private func expectWithdrawn(
        _ response: ServerResponse, _ task: TaskDocument, _ fixture: GatewayFixture
    ) async throws {
        let problem = try response.document(ProblemDocument.self, status: .serviceUnavailable)
        #expect(problem.type == "/problems/stopping")
        #expect(response.headers[.retryAfter] != nil)
        let waiting = try await current(task, fixture)
        #expect((waiting.state, waiting.hold) == ("scheduled", "content"))
    }

    /// Starts a gateway with the store of one that has stopped, and checks that it takes the content of a task, once.
    private func expectTaken(_ content: String, _ task: TaskDocument, in folder: GatewayFolder) async throws {
        let taken = EventLog<[UInt8]>()
        let next = try GatewayFixture(
            folder: folder,
            transport: ScriptedTransport { request in
                guard case .source(let source) = request.body else { return DispatcherFixture.response }
                return [.take(source, into: taken)] + DispatcherFixture.response
            })
        try await next.open {
            #expect(try await current(task, next).hold == "content")
            let response = try await pass(content, to: task, next)
            #expect(response.status == .noContent, "\(response.text)")
            #expect(try await next.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "succeeded")
            #expect(try await pass(content, to: task, next).status == .conflict)
            #expect(taken.events == [Array(content.utf8)])
        }
    }

    @Test(
        "A request with neither a length nor chunks has empty content, which is stored",
        arguments: [nil, "0"] as [String?])
    func noContent(length: String?) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let task = try await fixture.create(Self.stream)
            let response = try await fixture.response(
                .put, "/v1/tasks/\(task.id)/content", fields: length.map { ["Content-Length: \($0)"] } ?? [])
            #expect(response.status == .noContent, "\(response.text)")
            let done = try await fixture.response(.get, "/v1/tasks/\(task.id)?wait=1d").text
            #expect(done.contains(#""state":"succeeded""#), "\(done)")
            #expect(done.contains(#""content":{"size":0,"sha256":"e3b0c442"#), "\(done)")
        }
    }

    @Test("A client that has sent all of the content may close its sending side before the task has its turn")
    func halfClosed() async throws {
        let (gate, taken) = (ScriptedTransport.Gate(), EventLog<[UInt8]>())
        let fixture = try GatewayFixture(
            session: DispatcherFixture.configuration(concurrent: 1),
            transport: ScriptedTransport { request in
                guard case .source(let source) = request.body else {
                    return [.wait(gate)] + DispatcherFixture.response
                }
                return [.take(source, into: taken)] + DispatcherFixture.response
            })
        try await fixture.open {
            _ = try await fixture.create()
            _ = await fixture.transport.requests(1)
            let task = try await fixture.create(Self.stream)
            let sending = Task { try await pass("hello", to: task, fixture) }
            try await until { try await current(task, fixture).state == "queued" }
            // As the server does when the sending side is closed.
            sending.cancel()
            gate.open()
            let response = try await sending.value
            #expect(response.status == .noContent, "\(response.text)")
            #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "succeeded")
            #expect(taken.events == [Array("hello".utf8)])
        }
    }

    @Test("A stop ends the wait of content for its turn, and the next process passes it on, once")
    func stopped() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try GatewayFixture(
            session: DispatcherFixture.configuration(concurrent: 1),
            transport: ScriptedTransport([.wait(gate)] + DispatcherFixture.response))
        try await fixture.gateway.open()
        let hanging = try await fixture.create()
        _ = await fixture.transport.requests(1)
        let task = try await fixture.create(Self.stream)
        async let response = pass("hello", to: task, fixture)
        try await until { try await current(task, fixture).state == "queued" }
        let draining = Task { await fixture.gateway.drain(patience: .seconds(3600), polls: .zero) }
        try await expectWithdrawn(response, task, fixture)
        #expect(try await current(hanging, fixture).state == "running", "the wait ends before the drain does")
        // A client that comes back too early, and content without bytes, change nothing.
        try await expectWithdrawn(pass("hello", to: task, fixture), task, fixture)
        try await expectWithdrawn(pass("", to: task, fixture), task, fixture)
        gate.open()
        await draining.value
        #expect(fixture.transport.requests.count == 1)
        await fixture.gateway.close()
        await fixture.store.close()
        try await expectTaken("hello", task, in: fixture.folder)
    }

    @Test("An attempt that is under way at a stop goes on; if it takes nothing, its content is withdrawn")
    func stoppedDuringAttempt() async throws {
        for fails in [false, true] {
            let (gate, taken) = (ScriptedTransport.Gate(), EventLog<[UInt8]>())
            let fixture = try GatewayFixture(
                session: DispatcherFixture.configuration(concurrent: 1),
                transport: ScriptedTransport { request in
                    guard !fails, case .source(let source) = request.body else {
                        return [.wait(gate), .fail(TransferError(.cannotConnect, "refused"))]
                    }
                    return [.wait(gate), .take(source, into: taken)] + DispatcherFixture.response
                })
            try await fixture.gateway.open()
            let task = try await fixture.create(Self.stream)
            async let response = pass("hello", to: task, fixture)
            _ = await fixture.transport.requests(1)
            let waiting = try await fixture.create(Self.stream)
            async let other = pass("other", to: waiting, fixture)
            try await until { try await current(waiting, fixture).state == "queued" }
            let draining = Task { await fixture.gateway.drain(patience: .seconds(3600), polls: .zero) }
            try await expectWithdrawn(other, waiting, fixture)
            #expect(try await current(task, fixture).state == "running")
            gate.open()
            if fails {
                try await expectWithdrawn(response, task, fixture)
            } else {
                let status = try await response.status
                #expect(status == .noContent)
            }
            await draining.value
            let ended = try await current(task, fixture)
            #expect(ended.state == (fails ? "scheduled" : "succeeded"))
            #expect(ended.attempts.count == 1)
            await fixture.gateway.close()
            await fixture.store.close()
            #expect(taken.events == (fails ? [] : [Array("hello".utf8)]))
            if fails { try await expectTaken("hello", task, in: fixture.folder) }
            try await expectTaken("other", waiting, in: fixture.folder)
        }
    }

    @Test("A task that is canceled while its content waits for its turn stays canceled when the gateway stops")
    func canceledBeforeStop() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try GatewayFixture(
            session: DispatcherFixture.configuration(concurrent: 1),
            transport: ScriptedTransport([.wait(gate)] + DispatcherFixture.response))
        try await fixture.gateway.open()
        _ = try await fixture.create()
        _ = await fixture.transport.requests(1)
        let task = try await fixture.create(Self.stream)
        async let response = pass("hello", to: task, fixture)
        try await until { try await current(task, fixture).state == "queued" }
        _ = try await fixture.task(.post, "/v1/tasks/\(task.id)/cancel")
        let draining = Task { await fixture.gateway.drain(patience: .seconds(3600), polls: .zero) }
        let status = try await response.status
        #expect(status == .conflict)
        gate.open()
        await draining.value
        #expect(try await current(task, fixture).state == "canceled")
        await fixture.gateway.close()
        await fixture.store.close()
    }
}
