import ErrandGateway
import ErrandHTTPServer
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("BodyEndpoint", .timeLimit(.hang))
struct BodyEndpointTests {
    /// The content of a response, which is stored as a file.
    private static let content = Array(#"{"text":"\#(String(repeating: "a", count: 200))"}"#.utf8)

    /// Returns a gateway whose upstream sends the content.
    ///
    /// - Parameter gate: Delays the second half of the content; `nil` for no delay.
    private func fixture(gate: ScriptedTransport.Gate? = nil) throws -> GatewayFixture {
        var steps: [ScriptedTransport.Step] = [
            .head(ResponseHead(status: 200, headers: [.contentType: "application/json"])),
            .bytes(Array(Self.content.prefix(100))),
        ]
        if let gate { steps.append(.wait(gate)) }
        steps.append(.bytes(Array(Self.content.dropFirst(100))))
        return try GatewayFixture(transport: ScriptedTransport(steps))
    }

    @Test("If-Match comes before If-None-Match, and both before Range")
    func preconditions() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let task = try await fixture.run()
            let path = "/v1/tasks/\(task.id)/body"
            let tag = try #require(try await fixture.response(.get, path).headers[.eTag])
            for (fields, status) in [
                (["If-Match: \(tag)"], .partialContent), (["If-Match: *"], .partialContent),
                ([#"If-Match: "old""#], .preconditionFailed), (["If-Match: W/\(tag)"], .preconditionFailed),
                ([#"If-Match: "old""#, "If-None-Match: \(tag)"], .preconditionFailed),
                (["If-Match: \(tag)", "If-None-Match: \(tag)"], .notModified),
                (["If-Match: old"], .badRequest), (["If-None-Match: old"], .partialContent),
            ] as [([String], HTTPResponse.Status)] {
                let response = try await fixture.response(.get, path, fields: fields + ["Range: bytes=0-9"])
                #expect(response.status == status, "\(fields)")
                #expect(response.headers[.eTag] == (status == .badRequest ? nil : tag), "\(fields)")
                // Only GET has ranges.
                let head = try await fixture.response(.head, path, fields: fields + ["Range: bytes=0-9"])
                #expect(head.status == (status == .partialContent ? .ok : status), "\(fields)")
            }
        }
    }

    @Test("Content that is still arriving has no tag that If-Match could name")
    func followed() async throws {
        let gate = ScriptedTransport.Gate()
        let fixture = try fixture(gate: gate)
        try await fixture.open {
            let task = try await fixture.create()
            let target = "/v1/tasks/\(task.id)/body?follow=true"
            #expect(try await fixture.response(.get, target, fields: ["If-Match: *"]).status == .ok)
            let refused = try await fixture.response(.get, target, fields: [#"If-Match: "old""#])
            let problem = try refused.document(ProblemDocument.self, status: .preconditionFailed)
            #expect(problem.type == "/problems/precondition-failed")
            gate.open()
            #expect(try await fixture.task(.get, "/v1/tasks/\(task.id)?wait=1d").state == "succeeded")
        }
    }

    @Test("A body is not followed over HTTP/1.0, which would hide a failure, whatever the state of the task")
    func withoutChunks() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let task = try await fixture.run()
            for (query, status) in [
                ("?follow=true", .badRequest), ("?follow=false", .ok), ("", .ok),
            ] as [(String, HTTPResponse.Status)] {
                var head = try RequestHead.sample(.get, "/v1/tasks/\(task.id)/body\(query)", "Host: 127.0.0.1")
                head.acceptsChunks = false
                let response = try await fixture.gateway.handler.response(to: head)
                #expect(response.status == status, "\(query)")
                guard status != .ok else { continue }
                let problem = try response.document(ProblemDocument.self, status: status)
                #expect(problem.type == "/problems/bad-parameter")
                #expect(problem.detail?.hasPrefix("follow: true needs HTTP/1.1") == true)
                #expect(problem.detail?.contains("proxy_http_version 1.1") == true)
            }
        }
    }

    @Test("The content of a task that is removed before its file is opened becomes a 404")
    func removed() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let task = try await fixture.run()
            let path = "/v1/tasks/\(task.id)/body"
            var response = try await fixture.response(.get, path, fields: ["Range: bytes=0-9", "X-Request-Id: mine"])
            #expect(response.status == .partialContent)
            guard case .file(let region) = response.body, let becomeMissing = region.ifMissing else {
                Issue.record("the content is not in a file that may be missing")
                return
            }
            becomeMissing(&response)
            let problem = try response.document(ProblemDocument.self, status: .notFound)
            #expect(problem.type == "/problems/no-body")
            #expect(response.text.contains(#""request_id":"mine""#))
            #expect(response.headers[.requestID] == "mine")
            #expect(Set(response.headers.map(\.name)) == [.contentType, .requestID])
            #expect(response.headers[.contentType] == "application/problem+json")
        }
    }
}
