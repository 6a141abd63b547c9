import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("The trust evaluator", .enabled(if: CertificateFactory.isInstalled))
struct TrustEvaluatorTests {
    private let now = MatrixAuthority.now
    private let host = MatrixAuthority.host

    private func refusal(_ policy: TrustPolicy, _ presented: [[UInt8]], host: String? = nil) throws -> TransferError? {
        try TrustEvaluator(policy).evaluate(presented: presented, host: host ?? self.host, at: now).refusal
    }

    @Test("A policy with an unreadable pin or anchor is refused as a whole")
    func unreadable() async throws {
        let authority = try await MatrixAuthority.load()
        let right = CertificatePin(label: "right", .certificate(authority.good))
        let broken = [
            CertificatePin(label: "broken", .certificate([1, 2, 3])),
            CertificatePin(label: "cut off", .certificate(authority.good.dropLast())),
            CertificatePin(label: "short", .publicKey(sha256: [1, 2, 3])),
        ]
        for pinning in TrustPolicy.Pinning.allCases {
            for pin in broken {
                let error = #expect(throws: CertificateError.self) {
                    try TrustEvaluator(
                        TrustPolicy(pinning: pinning, pins: [right, pin], anchors: .certificates(authority.anchors)))
                }
                #expect(error?.message.contains(pin.label) == true)
            }
        }
        #expect(throws: CertificateError(.malformed, "Anchor 2 is not a certificate in DER")) {
            try TrustEvaluator(TrustPolicy(anchors: .certificates([authority.root, [0x30, 0]])))
        }
    }

    @Test("A key pin cannot pin certificates")
    func keyPinsCertificate() throws {
        let pin = CertificatePin(label: "sha256//x", .publicKey(sha256: [UInt8](repeating: 0, count: 32)))
        let error = #expect(throws: CertificateError.self) {
            try TrustEvaluator(TrustPolicy(pinning: .certificate, pins: [pin]))
        }
        #expect(error?.reason == .contradiction)
    }

    @Test("The verdict on an accepted peer has the path from its certificate to the anchor, and the matched pin")
    func acceptance() async throws {
        let authority = try await MatrixAuthority.load()
        let policy = TrustPolicy(
            pinning: .publicKey,
            pins: [
                CertificatePin(label: "unused", .certificate(authority.foreign)),
                CertificatePin(label: "root", .certificate(authority.root)),
                CertificatePin(label: "middle", .certificate(authority.intermediate)),
            ], anchors: .certificates(authority.anchors))
        let verdict = try TrustEvaluator(policy).evaluate(
            presented: [authority.good, authority.intermediate], host: host, at: now)
        #expect(verdict.refusal == nil)
        #expect(verdict.isAccepted)
        #expect(verdict.matchedPin == "middle")
        #expect(verdict.path == [authority.good, authority.intermediate, authority.root])
        #expect(verdict.certificates.map(\.subject) == ["CN=good", "CN=Intermediate", "CN=Root"])
        #expect(verdict.certificates.map(\.issuer) == ["CN=Intermediate", "CN=Root", "CN=Root"])
        let summaries = try verdict.path.map { try CertificateSummary(der: $0) }
        #expect(verdict.certificates == summaries)
    }

    @Test("The verdict on a refused peer has the certificates as presented")
    func refusedCertificates() async throws {
        let authority = try await MatrixAuthority.load()
        let presented = [authority.selfSigned, authority.foreign, authority.root]
        let verdict = try TrustEvaluator(TrustPolicy(anchors: .certificates(authority.anchors))).evaluate(
            presented: presented, host: host, at: now)
        #expect(verdict.refusal?.code == .untrustedRoot)
        #expect(verdict.certificates.map(\.subject) == ["CN=self-signed", "CN=Foreign", "CN=Root"])
        #expect(verdict.path.isEmpty)
        #expect(verdict.matchedPin == nil)
    }

    @Test("If only the pins refuse a peer, the verdict has its path without appended certificates")
    func unpinnedCertificates() async throws {
        let authority = try await MatrixAuthority.load()
        let policy = TrustPolicy(pinning: .publicKey, anchors: .certificates(authority.anchors))
        let verdict = try TrustEvaluator(policy).evaluate(
            presented: [authority.good, authority.foreign, authority.intermediate], host: host, at: now)
        #expect(verdict.refusal?.code == .pinMismatch)
        #expect(verdict.certificates.map(\.subject) == ["CN=good", "CN=Intermediate", "CN=Root"])
        #expect(verdict.path.isEmpty)
    }

    @Test("Of several faults one is reported, in the order chain, dates, host, pins")
    func order() async throws {
        let authority = try await MatrixAuthority.load()
        let foreign = CertificatePin(label: "foreign", .certificate(authority.foreign))
        func code(_ presented: [[UInt8]], host: String, _ pinning: TrustPolicy.Pinning) throws -> TransferError.Code? {
            let policy = TrustPolicy(pinning: pinning, pins: [foreign], anchors: .certificates(authority.anchors))
            return try refusal(policy, presented, host: host)?.code
        }
        for pinning in [TrustPolicy.Pinning.publicKey, .certificate] {
            #expect(try code([authority.expired], host: "else.test", pinning) == .untrustedRoot)
            let expired = [authority.expired, authority.intermediate]
            #expect(try code(expired, host: "else.test", pinning) == .certificateExpired)
            let good = [authority.good, authority.intermediate]
            #expect(try code(good, host: "else.test", pinning) == .hostMismatch)
            #expect(try code(good, host: host, pinning) == .pinMismatch)
        }
    }

    @Test("Dates are compared with the given time, both ends included")
    func dates() async throws {
        let authority = try await MatrixAuthority.load()
        let evaluator = try TrustEvaluator(TrustPolicy(anchors: .certificates(authority.anchors)))
        let summary = try CertificateSummary(der: authority.good)
        func code(_ time: Int64) -> TransferError.Code? {
            let presented = [authority.good, authority.intermediate]
            return evaluator.evaluate(presented: presented, host: host, at: time).refusal?.code
        }
        #expect(code(summary.notBefore) == nil)
        #expect(code(summary.notBefore - 1) == .certificateNotYetValid)
        #expect(code(summary.notAfter - 1) == nil)
        #expect(code(summary.notAfter + 1) == .certificateExpired)
    }

    @Test("Without any anchor every peer is refused, with the topmost issuer's name")
    func noAnchors() async throws {
        let authority = try await MatrixAuthority.load()
        let policy = TrustPolicy(anchors: .certificates([]))
        #expect(
            try refusal(policy, [authority.good, authority.intermediate])
                == TransferError(
                    .untrustedRoot,
                    "The certificate chain ends in CN=Intermediate, whose issuer CN=Root is not trusted"))
        #expect(
            try refusal(policy, [authority.privateLeaf, authority.privateIntermediate, authority.privateRoot])
                == TransferError(
                    .untrustedRoot,
                    "The certificate chain ends in CN=Private Root, which is not a trusted certificate"))
    }

    @Test("The system's roots do not trust a CA of the tests")
    func systemRoots() async throws {
        let authority = try await MatrixAuthority.load()
        #expect(try refusal(TrustPolicy(), [authority.good, authority.intermediate])?.code == .untrustedRoot)
    }

    @Test("A pin mismatch is reported with the expected and found pins, limited in length")
    func pinMessage() async throws {
        let authority = try await MatrixAuthority.load()
        let pins = (1...20).map {
            CertificatePin(label: "pin \($0)", .publicKey(sha256: [UInt8](repeating: UInt8($0), count: 32)))
        }
        let policy = TrustPolicy(
            pinning: .publicKey, pins: pins, pinScope: .leaf, anchors: .certificates(authority.anchors))
        let key = CertificatePin.key(of: try CertificateSummary(der: authority.good)).label
        let expected = (1...8).map { "pin \($0)" }.joined(separator: ", ")
        #expect(
            try refusal(policy, [authority.good, authority.intermediate])
                == TransferError(
                    .pinMismatch, "No pin matches: expected \(expected), …; found CN=good \(key)"))
    }

    @Test("Control characters in a peer's name are escaped")
    func escaping() async throws {
        let factory = try CertificateFactory()
        let issuer = try await factory.issue(
            "Issuer", subject: "\u{1B}[2J\r\nné", extensions: CertificateFactory.authority)
        let leaf = try await factory.issue("leaf", by: issuer, extensions: AttackAuthority.server)
        let refusal = try #require(try refusal(TrustPolicy(anchors: .certificates([])), [leaf.der]))
        #expect(refusal.message.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(refusal.message.contains("\\1B[2J\\0D\\0An"))
    }

    @Test("It can be used on any number of threads at the same time")
    func threads() async throws {
        let authority = try await MatrixAuthority.load()
        let policy = TrustPolicy(
            pinning: .certificate, pins: [CertificatePin(label: "root", .certificate(authority.root))],
            anchors: .certificates(authority.anchors))
        let evaluator = try TrustEvaluator(policy)
        let accepted = await withTaskGroup { group in
            for task in 0..<200 {
                group.addTask {
                    let leaf = task.isMultiple(of: 2) ? authority.good : authority.otherLeaf
                    let presented = [leaf, authority.intermediate, authority.otherIntermediate]
                    return evaluator.evaluate(presented: presented, host: MatrixAuthority.host, at: MatrixAuthority.now)
                        .isAccepted
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 100)
    }
}
