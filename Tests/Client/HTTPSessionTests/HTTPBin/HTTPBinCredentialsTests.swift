import ErrandSupport
import HTTPSession
import Testing

@Suite("Credentials of httpbin", .timeLimit(.hang))
struct HTTPBinCredentialsTests {
    @Test(
        "basic: accepted with the password, in any script, also without a challenge",
        arguments: ["basic-auth", "hidden-basic-auth"])
    func basic(path: String) async throws {
        let api = try await HTTPBin.session { $0.credentials = .basic(username: "Jürgen", password: "groß:🐘") }
        let response = try await api.data(for: TaskRequest(path: "\(path)/J%C3%BCrgen/gro%C3%9F%3A%F0%9F%90%98"))
        #expect(try response.decoded() == Welcome(authenticated: true, user: "Jürgen"))
    }

    @Test("basic: rejected with another password, or without one")
    func basicRefused() async throws {
        let wrong = try await HTTPBin.session { $0.credentials = .basic(username: "ada", password: "wrong") }
        let anonymous = try await HTTPBin.session()
        for api in [wrong, anonymous] {
            let outcome = try await api.outcome(of: TaskRequest(path: "basic-auth/ada/secret"))
            #expect(outcome.error?.code == .unacceptableStatus)
            #expect(outcome.response?.head.status == 401)
        }
    }

    @Test("bearer: accepted with a token")
    func bearer() async throws {
        let api = try await HTTPBin.session { $0.credentials = .bearer(token: "abc.def") }
        let response = try await api.data(for: TaskRequest(path: "bearer"))
        #expect(try response.decoded() == Welcome(authenticated: true, token: "abc.def"))
        let anonymous = try await HTTPBin.session()
        #expect(try await anonymous.outcome(of: TaskRequest(path: "bearer")).response?.head.status == 401)
    }

    @Test("a key is sent in a header field or in the query")
    func apiKey() async throws {
        let name = try #require(HTTPField.Name("X-API-Key"))
        let header = try await HTTPBin.session {
            $0.credentials = .apiKey(APIKey(place: .header(name), value: "k 1"))
        }
        #expect(try await header.echo(of: TaskRequest(path: "anything")).headers["X-Api-Key"] == "k 1")
        let query = try await HTTPBin.session {
            $0.credentials = .apiKey(APIKey(place: .query("key"), value: "k&1"))
        }
        #expect(try await query.echo(of: TaskRequest(path: "anything?a=b")).args == ["a": "b", "key": "k&1"])
    }

    /// `none` offers both kinds of protection, of which a client chooses a supported one.
    @Test("digest: accepted with the password, for several requests", arguments: ["auth", "none"], ["MD5", "SHA-256"])
    func digest(protection: String, algorithm: String) async throws {
        let api = try await HTTPBin.session { $0.credentials = .digest(username: "ada", password: "secret") }
        let path = "digest-auth/\(protection)/ada/secret/\(algorithm)"
        for _ in 0..<3 {
            let response = try await api.data(for: TaskRequest(path: path))
            #expect(try response.decoded() == Welcome(authenticated: true, user: "ada"))
        }
    }

    @Test(
        "a handler of challenges answers with a password",
        arguments: ["basic-auth/ada/secret", "digest-auth/auth/ada/secret/SHA-256"])
    func handler(path: String) async throws {
        let api = try await HTTPBin.session()
        var request = TaskRequest(path: path)
        request.hooks = SessionHooks(challenges: [
            .digest(username: "ada", password: "secret"), .basic(username: "ada", password: "secret"),
        ])
        #expect(try await api.data(for: request).decoded() == Welcome(authenticated: true, user: "ada"))
        request.hooks = SessionHooks(challenges: [
            .digest(username: "ada", password: "wrong"), .basic(username: "ada", password: "wrong"),
        ])
        #expect(try await api.outcome(of: request).response?.head.status == 401)
    }

    @Test("digest: accepted with a new nonce after a stale one")
    func stale() async throws {
        let api = try await HTTPBin.session { $0.credentials = .digest(username: "ada", password: "secret") }
        // The server treats the nonce as stale after one response; a cookie counts these.
        let path = "digest-auth/auth/ada/secret/SHA-256/1"
        for _ in 0..<4 {
            let response = try await api.data(for: TaskRequest(path: path))
            #expect(try response.decoded() == Welcome(authenticated: true, user: "ada"))
        }
    }

    @Test("digest: rejected with another password, for several requests")
    func digestRefused() async throws {
        let api = try await HTTPBin.session { $0.credentials = .digest(username: "ada", password: "wrong") }
        for _ in 0..<2 {
            let outcome = try await api.outcome(of: TaskRequest(path: "digest-auth/auth/ada/secret/MD5"))
            #expect(outcome.error?.code == .unacceptableStatus)
            #expect(outcome.response?.head.status == 401)
        }
    }

    @Test(
        "digest: rejected if it requires unsupported options, which are not guessed",
        arguments: ["auth/ada/secret/SHA-512", "auth-int/ada/secret/MD5"])
    func unknown(path: String) async throws {
        let api = try await HTTPBin.session { $0.credentials = .digest(username: "ada", password: "secret") }
        let outcome = try await api.outcome(of: TaskRequest(path: "digest-auth/\(path)"))
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.response?.head.status == 401)
        #expect(try await api.echo(of: TaskRequest(path: "anything")).headers["Authorization"] == nil)
    }
}
