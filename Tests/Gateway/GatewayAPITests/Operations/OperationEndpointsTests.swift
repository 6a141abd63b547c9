import ErrandConfiguration
import ErrandGateway
import ErrandHTTPServer
import ErrandSupport
import ErrandTaskStore
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("OperationEndpoints", .timeLimit(.hang))
struct OperationEndpointsTests {
    /// Returns the response of `/readyz`.
    private func ready(isDiskShort: Bool, storeFails: Bool = false) async throws -> ServerResponse {
        let folder = try GatewayFolder()
        let store = FlakyTaskStore(try folder.store())
        if storeFails {
            store.intervene { _ throws(TaskStoreError) in throw TaskStoreError(.diskFull, "The disk is full") }
        }
        let endpoints = OperationEndpoints(
            probe: ReadinessProbe(store), isDiskShort: { isDiskShort }, versions: [],
            watchdog: TaskWatchdog(clock: ManualClock(), limit: .seconds(10)), isDraining: { false },
            hasSessions: { true }, metrics: { _ in ServerResponse(status: .ok) })
        let route = try #require(endpoints.routes.first { $0.pattern == "/readyz" })
        let request = APIRequest(
            head: try .sample(.get, "/readyz"), parameters: RouteParameters(), caller: .anonymous, notes: nil,
            limiter: nil)
        guard case .deferred(let respond) = try route.admit(request) else { throw AtOnce() }
        let response = await respond()
        await store.close()
        return withExtendedLifetime(folder) { response }
    }

    private struct AtOnce: Error {}

    @Test("A gateway that only starts no attempt, because the disk is short, is ready and says so")
    func shortDisk() async throws {
        let ready = try await ready(isDiskShort: false)
        #expect(ready.status == .ok && ready.text == #"{"status":"ready"}"#)
        let short = try await self.ready(isDiskShort: true)
        #expect(short.status == .ok && short.text == #"{"status":"ready","hold":"disk_full"}"#)
    }

    @Test("The index has a hint while no session is configured")
    func hint() async throws {
        for isConfigured in [true, false] {
            let fixture = try GatewayFixture { configuration in
                if !isConfigured { configuration.sessions.removeAll() }
            }
            try await fixture.open {
                let index = try await fixture.response(.get, "/").text
                #expect(index.contains(#""tasks":"/v1/tasks""#))
                #expect(index.contains("no session is configured") == !isConfigured)
                #expect(index.contains("mount your file over the one that ERRAND_CONFIG names") == !isConfigured)
            }
        }
    }

    @Test("A gateway whose store cannot write is not ready")
    func failingStore() async throws {
        let failing = try await ready(isDiskShort: true, storeFails: true)
        #expect(failing.status == .serviceUnavailable)
        #expect(failing.text.contains("/problems/not-ready"), "\(failing.text)")
        #expect(failing.text.contains("The disk is full"))
    }

    @Test("A gateway that is about to stop is not ready, and goes on serving")
    func stopping() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let before = try await fixture.response(.get, "/readyz")
            #expect(before.status == .ok)
            fixture.gateway.prepareToClose()
            let problem = try await fixture.document(
                ProblemDocument.self, .get, "/readyz", status: .serviceUnavailable)
            #expect(problem.detail == "the gateway is stopping")
            let list = try await fixture.response(.get, "/v1/tasks")
            #expect(list.status == .ok)
        }
    }
}
