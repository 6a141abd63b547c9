import Digest
import HTTPServer
import HTTPTypes
import Testing

@testable import Gateway

@Suite("AccessControl")
struct AccessControlTests {
    private static func control(protectsOperations: Bool = false) -> AccessControl {
        AccessControl(
            inner: OpenHandler(),
            tokens: ["first token", "second"].map {
                AccessToken(name: $0, sha256: SHA256.hash(Array($0.utf8)))
            },
            protectsOperations: protectsOperations)
    }

    private func answer(_ authorization: String...) throws -> ServerResponse? {
        var head = try RequestHead.sample(.get, "/v1/tasks")
        for value in authorization { head.headers.append(HTTPField(name: .authorization, value: value)) }
        return Self.control().answerAtOnce(head)
    }

    @Test(
        "lets in who shows a token, whatever the case of the scheme",
        arguments: ["Bearer second", "bearer second", "BEARER   second", "Bearer first token"])
    func known(value: String) throws {
        #expect(try answer(value)?.status == .ok)
    }

    @Test(
        "asks whoever shows none, or shows it in another way, for one",
        arguments: ["", "second", "Bearer", "Bearer ", "Basic c2Vjb25k", "Bearersecond"])
    func missing(value: String) throws {
        let refused = try answer(value)
        #expect(refused?.status == .unauthorized)
        #expect(refused?.headers[.wwwAuthenticate] == #"Bearer realm="errand""#)
        #expect(try answer("Bearer second", "Bearer second")?.status == .unauthorized)
    }

    @Test(
        "tells every wrong token the same",
        arguments: ["Bearer third", "Bearer secon", "Bearer seconds", "Bearer Second", "Bearer second,"])
    func unknown(value: String) throws {
        let refused = try answer(value)
        #expect(refused?.status == .unauthorized)
        #expect(refused?.headers[.wwwAuthenticate] == #"Bearer realm="errand", error="invalid_token""#)
        #expect(refused?.text == (try answer("Bearer x"))?.text)
    }

    @Test("leaves operations open, and nothing that looks like one; or closes them too")
    func operations() throws {
        for path in ["/", "/healthz", "/readyz", "/version", "/problems/not-found"] {
            #expect(Self.control().answerAtOnce(try .sample(.get, path))?.status == .ok, "\(path)")
            #expect(
                Self.control(protectsOperations: true).answerAtOnce(try .sample(.get, path))?.status == .unauthorized)
        }
        for path in ["/v1/tasks", "/healthz2", "/v1/sessions", "/%68ealthy", "/x/healthz"] {
            #expect(Self.control().answerAtOnce(try .sample(.get, path))?.status == .unauthorized, "\(path)")
        }
    }

    @Test("is no hindrance without tokens")
    func open() throws {
        let control = AccessControl(inner: OpenHandler(), tokens: [], protectsOperations: true)
        #expect(control.answerAtOnce(try .sample())?.status == .ok)
    }
}
