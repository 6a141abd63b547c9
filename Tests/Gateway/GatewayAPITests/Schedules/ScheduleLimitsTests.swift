import ErrandConfiguration
import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("Limits of schedules", .timeLimit(.hang))
struct ScheduleLimitsTests {
    /// A definition of a little more than a million bytes: 33 of them have less than 32 MiB.
    private func large(_ scheduler: Scheduler) async throws -> AcceptedSchedule {
        let text = String(repeating: "x", count: 1_000_000)
        let document = #"{"cron":"0 0 1 1 *","task":{"body":{"text":"\#(text)"}}}"#
        return try await scheduler.decoder(for: .anonymous).decode(Array(document.utf8), named: "large")
    }

    private func put(_ definition: AcceptedSchedule, as name: String, _ scheduler: Scheduler) async throws -> String {
        let schedule = AcceptedSchedule(name: name, definition: definition.definition)
        return switch try await scheduler.put(schedule, by: .anonymous, replaces: true, if: { _ in true }) {
        case .created: "created"
        case .replaced: "replaced"
        case .tooLarge: "too large"
        case let other: "\(other)"
        }
    }

    @Test("All definitions together have at most 32 MiB, also when many are made at the same time, and after a restart")
    func bytes() async throws {
        let fixture = try SchedulerFixture(at: "2026-01-01T12:00:00Z")
        try await fixture.open {
            let large = try await large(fixture.scheduler)
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<40 {
                    group.addTask { try await put(large, as: "s\(number)", fixture.scheduler) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0 == "created" }.count == 33)
            #expect(answers.filter { $0 == "too large" }.count == 7)
            #expect(fixture.scheduler.all.reduce(0) { $0 + $1.record.definition.count } <= Scheduler.limitBytes)
        }
        let later = try SchedulerFixture(folder: fixture.folder, at: "2026-01-01T13:00:00Z")
        try await later.open {
            let scheduler = later.scheduler
            let large = try await large(scheduler)
            #expect(try await put(large, as: "another", scheduler) == "too large")
            // One that takes the place of another of its size needs no more room; a removed one has left some.
            let name = try #require(scheduler.all.first?.record.name)
            #expect(try await put(large, as: name, scheduler) == "replaced")
            _ = try await scheduler.remove(name, by: .anonymous) { _ in true }
            #expect(try await put(large, as: "another", scheduler) == "created")
            #expect(try await put(large, as: name, scheduler) == "too large")
        }
    }

    @Test("A client is told of the limit of all schedules together")
    func answered() async throws {
        let fixture = try GatewayFixture { $0.server.requests.maxJSONBytes = 40 << 20 }
        try await fixture.open {
            let text = String(repeating: "x", count: Scheduler.limitBytes)
            let response = try await fixture.response(
                .post, "/v1/schedules",
                json: #"{"name":"large","cron":"0 0 1 1 *","task":{"session":"up","body":{"text":"\#(text)"}}}"#)
            #expect(response.status == .conflict)
            #expect(response.text.contains(#""type":"/problems/too-many-schedules""#))
            #expect(response.text.contains("all schedules together may have at most 32 MiB"))
        }
    }
}
