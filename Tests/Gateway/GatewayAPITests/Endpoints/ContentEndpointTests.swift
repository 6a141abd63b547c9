import ErrandHTTPServer
import ErrandSupport
import HTTPTypes
import Testing

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

    @Test("A digest is verified, or refused if it has no algorithm that is verified")
    func digest() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            for (digests, detail) in [
                (["sha-256=:\(Self.digest):"], nil), (["sha-512=:AA==:, sha-256=:\(Self.digest):"], nil),
                (["sha-512=:AA==:", "sha-256=:\(Self.digest):"], nil),
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
}
