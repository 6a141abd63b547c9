import ErrandConfiguration
import ErrandCryptography
import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("AccessControl")
struct AccessControlTests {
    private let log = RecordedLog()

    /// Returns a router with access control and the tokens `first token` and `second`, the latter with the scope
    /// `tasks:read`.
    private func pipeline(protectsOperations: Bool = false, tokens: Bool = true) throws -> Router {
        var auth = try GatewayFixture.defaults().auth
        auth.protectsOperations = protectsOperations
        if tokens {
            auth.tokens = ["first token", "second"].map { name in
                var token = AuthConfiguration.Token.sample(name, [.tasksRead])
                token.credential = name == "second" ? .text(name) : .sha256(SHA256.hash(Array(name.utf8)))
                return token
            }
        }
        let control = AccessControl(auth, audit: AuditLog(log.logger))
        let routes = [
            APIRoute(.get, "/healthz", needs: .nothing) { Self.response($0) },
            APIRoute(.get, "/v1/tasks", needs: .tasksRead) { Self.response($0) },
            APIRoute(.post, "/v1/tasks", needs: .tasksWrite) { Self.response($0) },
            APIRoute(.post, "/v1/sessions/{name}/suspend", needs: .admin) { Self.response($0) },
            APIRoute(.post, "/v1/schedules/{name}/run", needs: .tasksWrite) { Self.response($0) },
            APIRoute(.get, "/mixed/{name}", needs: .nothing) { Self.response($0) },
            APIRoute(.post, "/mixed/{other}", needs: .admin) { Self.response($0) },
        ]
        return try control.router(of: routes)
    }

    /// Responds with the name of the caller's token and its scopes.
    private static func response(_ request: APIRequest) -> RequestDisposition {
        let scopes = request.caller.scopes.map(\.rawValue).sorted().joined(separator: " ")
        let text = "\(request.caller.tokenName ?? "no token"): \(scopes)"
        return .immediate(ServerResponse(status: .ok, body: .bytes(Array(text.utf8))))
    }

    private func response(_ authorization: String...) throws -> ServerResponse? {
        var head = try RequestHead.sample(.get, "/v1/tasks")
        for value in authorization { head.headers.append(HTTPField(name: .authorization, value: value)) }
        return try pipeline().immediateResponse(to: head)
    }

    @Test(
        "accepts a known token, with the scheme in any case",
        arguments: ["Bearer second", "bearer second", "BEARER   second", "Bearer first token"])
    func known(value: String) throws {
        let response = try response(value)
        #expect(response?.status == .ok)
        #expect(response?.text == (value.hasSuffix("second") ? "second: tasks:read" : "first token: tasks:read"))
    }

    @Test(
        "requests a token if it is missing or in another form",
        arguments: ["", "second", "Bearer", "Bearer ", "Basic c2Vjb25k", "Bearersecond"])
    func missing(value: String) throws {
        let refused = try response(value)
        #expect(refused?.status == .unauthorized)
        #expect(refused?.headers[.wwwAuthenticate] == #"Bearer realm="errand""#)
    }

    @Test("refuses two Authorization fields, even if both are valid", arguments: ["Bearer second", "Basic x", ""])
    func repeated(second: String) throws {
        for values in [("Bearer second", second), (second, "Bearer second")] {
            let refused = try response(values.0, values.1)
            #expect(refused?.status == .badRequest)
            #expect(refused?.headers[.wwwAuthenticate] == #"Bearer realm="errand", error="invalid_request""#)
        }
    }

    @Test(
        "gives every wrong token the same response",
        arguments: ["Bearer third", "Bearer secon", "Bearer seconds", "Bearer Second", "Bearer second,"])
    func unknown(value: String) throws {
        let refused = try response(value)
        #expect(refused?.status == .unauthorized)
        #expect(refused?.headers[.wwwAuthenticate] == #"Bearer realm="errand", error="invalid_token""#)
        #expect(refused?.text == (try response("Bearer x"))?.text)
    }

    @Test("compares every digest with every token, so that timing reveals nothing")
    func comparesAll() {
        let tokens = ["a", "b", "c"].map { AccessToken(AuthConfiguration.Token.sample($0)) }
        for shown in ["a", "b", "c", "d"] {
            var compared: [[UInt8]] = []
            let digest = SHA256.hash(Array("\(shown)-token-0123456789".utf8))
            let found = AccessControl.find(digest, among: tokens) { left, right in
                #expect(left == digest)
                compared.append(right)
                return left == right
            }
            #expect(compared == tokens.map(\.sha256))
            #expect(found?.caller.tokenName == (shown == "d" ? nil : shown))
        }
    }

    @Test("names the required scope to a token without it")
    func scope() throws {
        for (method, path, scope) in [
            (HTTPRequest.Method.post, "/v1/tasks", "tasks:write"), (.post, "/v1/sessions/up/suspend", "admin"),
        ] {
            let refused = try pipeline().immediateResponse(to: .sample(method, path, "Authorization: Bearer second"))
            #expect(refused?.status == .forbidden)
            #expect(
                refused?.headers[.wwwAuthenticate]
                    == #"Bearer realm="errand", error="insufficient_scope", scope="\#(scope)""#)
            #expect(refused?.text.contains("/problems/insufficient-scope") == true)
            #expect(refused?.text.contains("the token lacks the scope \(scope)") == true)
        }
    }

    @Test("allows operation endpoints without a token, or protects them too")
    func operations() throws {
        let open = try pipeline()
        for fields in [[], ["Authorization: Bearer wrong"], ["Authorization: Bearer second"]] {
            let response = open.immediateResponse(to: try .sample(.get, "/healthz", lines: fields))
            #expect(response?.text == "no token: ")
        }
        let closed = try pipeline(protectsOperations: true)
        #expect(closed.immediateResponse(to: try .sample(.get, "/healthz"))?.status == .unauthorized)
        #expect(
            closed.immediateResponse(to: try .sample(.get, "/healthz", "Authorization: Bearer second"))?.status == .ok)
    }

    @Test("does not reveal paths to callers without a token")
    func misses() throws {
        for (method, path) in [
            (HTTPRequest.Method.get, "/nothing"), (.put, "/v1/tasks"), (.options, "/v1/tasks"), (.options, "*"),
            (.put, "/mixed/a"), (.options, "/mixed/a"),
        ] {
            let pipeline = try pipeline()
            #expect(
                pipeline.immediateResponse(to: try .sample(method, path))?.status == .unauthorized, "\(method) \(path)")
            let known = pipeline.immediateResponse(
                to: try .sample(method, path, "Authorization: Bearer second"))?.status.code
            #expect(known == 404 || known == 405 || known == 204, "\(method) \(path)")
        }
    }

    @Test("tells the methods of an operation to callers without a token, unless it protects operations")
    func openMisses() throws {
        for (method, status) in [
            (HTTPRequest.Method.post, HTTPResponse.Status.methodNotAllowed), (.options, .noContent),
        ] {
            for fields in [[], ["Authorization: Bearer wrong"], ["Authorization: Bearer second"]] as [[String]] {
                let response = try pipeline().immediateResponse(to: .sample(method, "/healthz", lines: fields))
                #expect(response?.status == status, "\(method) \(fields)")
                #expect(response?.headers[.allow] == "GET, HEAD, OPTIONS", "\(method) \(fields)")
            }
            let closed = try pipeline(protectsOperations: true).immediateResponse(to: .sample(method, "/healthz"))
            #expect(closed?.status == .unauthorized, "\(method)")
        }
    }

    @Test("accepts every request if no tokens are configured")
    func open() throws {
        for fields in [[], ["Authorization: Bearer wrong"], ["Authorization: a", "Authorization: b"]] {
            let head = try RequestHead.sample(.post, "/v1/tasks", lines: fields)
            let response = try pipeline(protectsOperations: true, tokens: false).immediateResponse(to: head)
            #expect(response?.text == "no token: admin")
        }
    }

    @Test("logs changes with their outcome, and refusals, with the name of the token")
    func audit() throws {
        let pipeline = try pipeline()
        for (method, path, token) in [
            (HTTPRequest.Method.get, "/v1/tasks", "second"), (.get, "/v1/tasks", "wrong"),
            (.post, "/v1/tasks?x=secret", "second"), (.put, "/v1/tasks", "second"),
        ] {
            _ = pipeline.admit(try .sample(method, path, "Authorization: Bearer \(token)"))
        }
        let lines = log.lines
        #expect(lines.map { $0["status"] } == ["401", "403", "405"])
        #expect(lines.map { $0["token"] } == [nil, "second", "second"])
        #expect(lines.map { $0["route"] } == ["/v1/tasks", "/v1/tasks", nil])
        #expect(!lines.contains { $0.metadata.values.contains { $0.contains("secret") || $0.contains("wrong") } })
        _ = try self.pipeline(tokens: false).admit(.sample(.post, "/v1/sessions/up/suspend"))
        #expect(log.lines.last?.message == "Audit: request for a change")
        #expect(log.lines.last?["session"] == "up")
        #expect(log.lines.last?["token"] == nil)
        _ = try self.pipeline(tokens: false).admit(.sample(.post, "/v1/schedules/nightly/run"))
        #expect(log.lines.last?["path"] == "/v1/schedules/nightly/run")
        #expect(log.lines.last?["session"] == nil, "the name is the schedule's")
    }
}
