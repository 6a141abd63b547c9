import ErrandSupport
import HTTPSession
import Testing

@Suite("A chain of certificates", .enabled(if: CertificateFactory.isInstalled), .timeLimit(.hang))
struct TrustEvaluatorChainTests {
    /// 2030-01-01T00:00:00Z, at which the certificates are valid.
    private static let time: Int64 = 1_893_456_000

    /// A root, and a server's certificate that it has issued.
    private struct Chain {
        let factory: CertificateFactory
        let root: CertificateFactory.Identity
        let server: CertificateFactory.Identity

        init() async throws {
            factory = try CertificateFactory()
            root = try await factory.issue("Root", extensions: CertificateFactory.authority)
            server = try await factory.issue(
                "server", by: root, extensions: CertificateFactory.server("DNS:server.test"))
        }

        var anchors: TrustAnchors { .certificates([root.der]) }
    }

    @Test("is accepted for its host by a policy with its root, and the verdict shows the path and the pin")
    func accepted() async throws {
        let chain = try await Chain()
        let policy = TrustPolicy(
            pinning: .publicKey, pins: [CertificatePin(label: "root", .certificate(chain.root.der))],
            anchors: chain.anchors)
        let evaluator = try TrustEvaluator(policy: policy)
        #expect(evaluator.policy == policy)
        let verdict = evaluator.evaluate(chain: [chain.server.der], host: "server.test", at: Self.time)
        #expect(verdict.isAccepted)
        #expect(verdict.error == nil)
        #expect(verdict.matchedPin == "root")
        #expect(verdict.certificates.map(\.subject) == ["CN=server", "CN=Root"])
    }

    @Test("is evaluated now unless a time is given")
    func now() async throws {
        let chain = try await Chain()
        let evaluator = try TrustEvaluator(policy: TrustPolicy(anchors: chain.anchors))
        #expect(evaluator.evaluate(chain: [chain.server.der], host: "server.test").isAccepted)
        let early = evaluator.evaluate(chain: [chain.server.der], host: "server.test", at: 0)
        #expect(early.error?.code == .certificateNotYetValid)
    }

    @Test("is refused with the error that a request would have")
    func refused() async throws {
        let chain = try await Chain()
        func code(_ policy: TrustPolicy, _ presented: [[UInt8]], host: String = "server.test") throws
            -> SessionErrorCode?
        {
            try TrustEvaluator(policy: policy).evaluate(chain: presented, host: host, at: Self.time).error?.code
        }
        let policy = TrustPolicy(anchors: chain.anchors)
        #expect(try code(policy, [chain.server.der], host: "else.test") == .hostMismatch)
        #expect(try code(TrustPolicy(anchors: .certificates([])), [chain.server.der]) == .untrustedRoot)
        #expect(try code(policy, [[1, 2, 3]]) == .secureConnectionFailed)
        #expect(try code(policy, []) == .secureConnectionFailed)
        let pin = CertificatePin(label: "other", .publicKey(sha256: [UInt8](repeating: 0, count: 32)))
        let pinned = TrustPolicy(pinning: .publicKey, pins: [pin], anchors: chain.anchors)
        #expect(try code(pinned, [chain.server.der]) == .pinMismatch)
    }

    @Test("needs a stapled OCSP response if the policy requires one")
    func stapled() async throws {
        let chain = try await Chain()
        let evaluator = try TrustEvaluator(policy: TrustPolicy(anchors: chain.anchors, revocation: .stapled))
        let verdict = evaluator.evaluate(chain: [chain.server.der], host: "server.test")
        #expect(verdict.error?.code == .revoked)
        #expect(verdict.certificates.map(\.subject) == ["CN=server", "CN=Root"])
    }

    @Test("cannot be evaluated by a policy with an unreadable pin")
    func unreadable() throws {
        let pin = CertificatePin(label: "broken", .certificate([1, 2, 3]))
        let error = #expect(throws: SessionError.self) {
            try TrustEvaluator(policy: TrustPolicy(pinning: .publicKey, pins: [pin]))
        }
        #expect(error?.code == .secureConnectionFailed)
        #expect(error?.isRetryable == false)
    }
}
