import ErrandGateway
import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Responses with a schedule", .timeLimit(.hang))
struct ScheduleResponsesTests {
    /// Creates the schedule `noon`.
    ///
    /// - Parameter bytes: The size of the content of its tasks.
    private func create(_ fixture: GatewayFixture, bytes: Int) async throws -> ServerResponse {
        let text = String(repeating: "x", count: bytes)
        let response = try await fixture.response(
            .put, "/v1/schedules/noon",
            json: #"{"cron":"0 12 * * *","task":{"session":"up","method":"POST","body":{"text":"\#(text)"}}}"#)
        #expect(response.status == .created)
        return response
    }

    @Test("A schedule is not parsed on the server's thread, also for HEAD and for a 304")
    func deferred() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let created = try await create(fixture, bytes: 1)
            let tag = try #require(created.headers[.eTag])
            for method in [HTTPRequest.Method.get, .head] {
                for (fields, status) in [
                    ([], .ok), (["If-None-Match: \(tag)"], .notModified),
                ] as [([String], HTTPResponse.Status)] {
                    let head = try RequestHead.sample(
                        method, "/v1/schedules/noon", lines: ["Host: 127.0.0.1"] + fields)
                    guard case .deferred(let respond) = fixture.gateway.handler.admit(head).unchanged else {
                        Issue.record("answered at once: \(method) \(fields)")
                        continue
                    }
                    let response = await respond()
                    #expect(response.status == status, "\(method) \(fields)")
                    #expect(response.headers[.eTag] == tag, "\(method) \(fields)")
                }
            }
        }
    }

    @Test("A long response to a change has a short form, which tells that the change was stored")
    func shortForm() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let created = try await create(fixture, bytes: 100_000)
            let suspended = try await fixture.response(.post, "/v1/schedules/noon/suspend")
            let resumed = try await fixture.response(.post, "/v1/schedules/noon/resume")
            for (response, isSuspended, revision) in [(created, false, 1), (suspended, true, 2), (resumed, false, 3)] {
                guard case .shortenable(let full, let short) = response.body else {
                    Issue.record("not shortenable: \(response.status)")
                    continue
                }
                #expect(full.count > 100_000)
                #expect(
                    String(decoding: short, as: UTF8.self)
                        == #"{"name":"noon","session":"up","suspended":\#(isSuspended),"revision":\#(revision)}"#)
            }
        }
    }
}
