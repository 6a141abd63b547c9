import ErrandConfiguration
import ErrandHTTPServer
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandGateway
@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

/// All routes of the gateway, tested with each kind of token.
@Suite("Access to the routes", .timeLimit(.hang))
struct RouteAccessTests {
    /// The access that each route needs, stated independently: a route missing here fails the test.
    private static let needs: [String: AccessNeed] = [
        "GET /": .nothing,
        "GET /healthz": .nothing,
        "GET /readyz": .nothing,
        "GET /metrics": .nothing,
        "GET /version": .nothing,
        "GET /problems": .nothing,
        "GET /problems/{name}": .nothing,
        "GET /openapi.json": .nothing,
        "GET /openapi.yaml": .nothing,
        "GET /v1/tasks": .scope(.tasksRead),
        "GET /v1/tasks/counts": .scope(.tasksRead),
        "GET /v1/tasks/{id}": .scope(.tasksRead),
        "GET /v1/tasks/{id}/body": .scope(.tasksRead),
        "GET /v1/tasks/{id}/events": .scope(.tasksRead),
        "GET /v1/events": .scope(.tasksRead),
        "POST /v1/tasks": .scope(.tasksWrite),
        "DELETE /v1/tasks/{id}": .scope(.tasksWrite),
        "POST /v1/tasks:batch": .scope(.tasksWrite),
        "POST /v1/tasks:cancel": .scope(.tasksWrite),
        "POST /v1/tasks:suspend": .scope(.tasksWrite),
        "POST /v1/tasks:resume": .scope(.tasksWrite),
        "POST /v1/tasks:run-now": .scope(.tasksWrite),
        "POST /v1/tasks:retry": .scope(.tasksWrite),
        "POST /v1/tasks:delete": .scope(.tasksWrite),
        "PATCH /v1/tasks/{id}": .scope(.tasksWrite),
        "POST /v1/tasks/{id}/retry": .scope(.tasksWrite),
        "POST /v1/tasks/{id}/run-now": .scope(.tasksWrite),
        "POST /v1/tasks/{id}/cancel": .scope(.tasksWrite),
        "POST /v1/tasks/{id}/suspend": .scope(.tasksWrite),
        "POST /v1/tasks/{id}/resume": .scope(.tasksWrite),
        "GET /v1/sessions": .scope(.tasksRead),
        "GET /v1/sessions/{name}": .scope(.tasksRead),
        "POST /v1/sessions/{name}/suspend": .scope(.admin),
        "POST /v1/sessions/{name}/resume": .scope(.admin),
        "POST /v1/sessions/{name}/purge": .scope(.admin),
        "POST /v1/sessions/{name}/invalidate": .scope(.admin),
        "GET /v1/schedules": .scope(.tasksRead),
        "POST /v1/schedules": .scope(.tasksWrite),
        "GET /v1/schedules/{name}": .scope(.tasksRead),
        "PUT /v1/schedules/{name}": .scope(.tasksWrite),
        "DELETE /v1/schedules/{name}": .scope(.tasksWrite),
        "POST /v1/schedules/{name}/suspend": .scope(.tasksWrite),
        "POST /v1/schedules/{name}/resume": .scope(.tasksWrite),
        "POST /v1/schedules/{name}/run": .scope(.tasksWrite),
        "PUT /v1/tasks/{id}/content": .scope(.tasksWrite),
        "POST /v1/config:reload": .wholeGateway,
    ]

    private static let tokens: [AuthConfiguration.Token] = [
        .sample("reader", [.tasksRead]), .sample("writer", [.tasksWrite]),
        .sample("both", [.tasksRead, .tasksWrite]), .sample("admin", [.admin]),
        .sample("limited", [.admin], sessions: ["up"]),
        .sample("elsewhere", [.tasksRead, .tasksWrite, .admin], sessions: ["other"]),
    ]

    /// The callers: without a token, with an unknown token, and with those above.
    private static let callers: [String?] = [nil, "unknown"] + tokens.map(\.name)

    private func fixture(protectsOperations: Bool = false) throws -> GatewayFixture {
        try GatewayFixture { configuration in
            configuration.auth.tokens = Self.tokens
            configuration.auth.protectsOperations = protectsOperations
            configuration.sessions.append(try SessionConfiguration.sample("other"))
        }
    }

    private func response(
        _ fixture: GatewayFixture, _ route: APIRoute, _ task: String, _ caller: String?,
        method: HTTPRequest.Method? = nil
    ) async throws -> ServerResponse {
        let path = route.pattern.replacing("{id}", with: task).replacing("{name}", with: "up")
        // An empty document is invalid for these endpoints.
        let json = route.pattern == "/v1/tasks" && route.method == .post ? "{}" : nil
        return try await fixture.response(
            method ?? route.method, path, json: json, fields: caller.map { [AuthConfiguration.Token.field($0)] } ?? [])
    }

    /// Returns true if the scopes of a token include the needed access.
    private func isEnough(_ need: AccessNeed, _ token: AuthConfiguration.Token) -> Bool {
        switch need {
        case .nothing, .token: true
        case .scope(let scope): token.scopes.contains(scope) || token.scopes.contains(.admin)
        case .wholeGateway: token.scopes.contains(.admin) && token.sessions == nil
        }
    }

    @Test("Every route declares the access that it needs, and refuses callers without it", arguments: [false, true])
    func everyRoute(protectsOperations: Bool) async throws {
        let fixture = try fixture(protectsOperations: protectsOperations)
        try await fixture.open {
            #expect(!fixture.gateway.routes.isEmpty)
            for route in fixture.gateway.routes {
                let name = "\(route.method) \(route.pattern)"
                guard let need = Self.needs[name] else {
                    Issue.record("\(name) is not in the table")
                    continue
                }
                // Requested with an unused name: an accepted request gets a status other than 401 and 403.
                for caller in Self.callers {
                    let status = try await response(fixture, route, TaskID.sample(1).description, caller).status.code
                    let what = "\(name) for \(caller ?? "no token")"
                    let token = Self.tokens.first { $0.name == caller }
                    if need == .nothing, !protectsOperations {
                        #expect(status != 401 && status != 403, "\(what)")
                    } else if let token {
                        #expect((status == 403) == !isEnough(need, token), "\(what): \(status)")
                        #expect(status != 401, "\(what)")
                    } else {
                        #expect(status == 401, "\(what)")
                    }
                }
            }
        }
    }

    @Test("HEAD needs the same access as GET")
    func head() async throws {
        let fixture = try fixture()
        try await fixture.open {
            for route in fixture.gateway.routes where route.method == .get {
                for caller in Self.callers {
                    let id = TaskID.sample(1).description
                    let get = try await response(fixture, route, id, caller)
                    let head = try await response(fixture, route, id, caller, method: .head)
                    #expect(get.status == head.status, "\(route.pattern) for \(caller ?? "no token")")
                }
            }
        }
    }

    @Test("A refusal names the required scope, and has no effect")
    func nothingDone() async throws {
        let fixture = try fixture()
        try await fixture.open {
            let created = try await fixture.response(
                .post, "/v1/tasks", json: #"{"session":"up","start":"suspended"}"#,
                fields: [AuthConfiguration.Token.field("writer")])
            let location = try #require(created.headers[.location])
            for (method, action) in [
                (HTTPRequest.Method.post, "/cancel"), (.post, "/suspend"), (.post, "/resume"), (.delete, ""),
            ] {
                let refused = try await fixture.response(
                    method, location + action, fields: [AuthConfiguration.Token.field("reader")])
                #expect(refused.status == .forbidden)
                #expect(refused.headers[.wwwAuthenticate]?.hasSuffix(#"scope="tasks:write""#) == true)
            }
            let read = try await fixture.response(.get, location, fields: [AuthConfiguration.Token.field("reader")])
            #expect(read.text.contains(#""state":"suspended","done":false,"revision":1,"#))
            let blind = try await fixture.response(.get, location, fields: [AuthConfiguration.Token.field("writer")])
            #expect(blind.headers[.wwwAuthenticate]?.hasSuffix(#"scope="tasks:read""#) == true, "write is not read")
        }
    }
}
