import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

/// Returns the verdict on the certificates that the server of a cell presents.
private func judge(_ cell: MatrixCell, _ authority: MatrixAuthority, by evaluator: TrustEvaluator) -> TrustVerdict {
    let shown = cell.server.lineage(authority).prefix(cell.server.shownCount)
    return evaluator.evaluate(presented: Array(shown), host: MatrixAuthority.host, at: MatrixAuthority.now)
}

/// The evaluators of the policies of cells: one for all cells with the same policy, as a session has one for all peers.
private struct MatrixEvaluators {
    private var created: [TrustPolicy: TrustEvaluator] = [:]

    /// Returns the evaluator of a policy.
    mutating func evaluator(_ policy: TrustPolicy) throws -> TrustEvaluator {
        if let evaluator = created[policy] { return evaluator }
        let evaluator = try TrustEvaluator(policy)
        created[policy] = evaluator
        return evaluator
    }
}

@Suite("The matrix of the security policy", .enabled(if: CertificateFactory.isInstalled))
struct TrustMatrixTests {
    @Test("Each of its 1,296 cells has the verdict that the rules define")
    func cells() async throws {
        let authority = try await MatrixAuthority.load()
        let model = MatrixModel(authority: authority)
        let cells = MatrixCell.all
        #expect(cells.count == 1296)
        var evaluators = MatrixEvaluators()
        for cell in cells {
            let verdict = judge(cell, authority, by: try evaluators.evaluator(cell.policy(authority)))
            #expect(verdict.refusal?.code == model.refusal(cell), "\(cell): \(verdict.refusal?.message ?? "accepted")")
            let isMatchExpected = verdict.isAccepted && cell.pinning != .none
            let hasMatch = verdict.matchedPin != nil
            #expect(hasMatch == isMatchExpected, "\(cell)")
            #expect(verdict.path.isEmpty != verdict.isAccepted, "\(cell)")
        }
    }

    @Test("The digest of a key and a certificate with that key are the same pin")
    func digests() async throws {
        let authority = try await MatrixAuthority.load()
        let model = MatrixModel(authority: authority)
        var evaluators = MatrixEvaluators()
        for cell in MatrixCell.all where cell.pinning == .publicKey {
            var digests = cell.policy(authority)
            digests.pins = try cell.pins.certificates(cell.server, authority).map {
                CertificatePin.key(of: try CertificateSummary(der: $0))
            }
            // Certificates as pins have the verdict of the model, as the cells show.
            let byDigest = judge(cell, authority, by: try evaluators.evaluator(digests)).refusal?.code
            #expect(byDigest == model.refusal(cell), "\(cell)")
        }
    }

    @Test("Manually derived cells match the model and the evaluator", arguments: literalRows)
    func literals(row: LiteralRow) async throws {
        let authority = try await MatrixAuthority.load()
        #expect(MatrixModel(authority: authority).refusal(row.cell) == row.refusal)
        let verdict = judge(row.cell, authority, by: try TrustEvaluator(row.cell.policy(authority)))
        #expect(verdict.refusal?.code == row.refusal)
    }
}

/// A cell with its manually derived verdict.
struct LiteralRow: CustomStringConvertible {
    var cell: MatrixCell
    var refusal: TransferError.Code?

    var description: String { "\(cell) → \(refusal?.rawValue ?? "accepted")" }

    init(
        _ server: ServerCase, _ pinning: TrustPolicy.Pinning, invalid: Bool = false, domain: Bool = true,
        pins: PinCase = .none, scope: TrustPolicy.PinScope = .any, is refusal: TransferError.Code?
    ) {
        cell = MatrixCell(
            server: server, pinning: pinning, allowsInvalid: invalid, validatesDomain: domain, pins: pins, scope: scope)
        self.refusal = refusal
    }
}

private let literalRows: [LiteralRow] = [
    LiteralRow(.good, .none, is: nil),
    LiteralRow(.rotated, .none, is: nil),
    LiteralRow(.otherAuthority, .none, is: nil),
    LiteralRow(.selfSigned, .none, is: .untrustedRoot),
    LiteralRow(.privateRoot, .none, is: .untrustedRoot),
    LiteralRow(.incomplete, .none, is: .untrustedRoot),
    LiteralRow(.expired, .none, is: .certificateExpired),
    LiteralRow(.notYetValid, .none, is: .certificateNotYetValid),
    LiteralRow(.wrongHost, .none, is: .hostMismatch),
    LiteralRow(.wrongHost, .none, domain: false, is: nil),
    LiteralRow(.good, .none, invalid: true, is: .secureConnectionFailed),
    LiteralRow(.good, .publicKey, invalid: true, is: .secureConnectionFailed),
    LiteralRow(.selfSigned, .none, invalid: true, domain: false, is: nil),
    LiteralRow(.good, .publicKey, is: .pinMismatch),
    LiteralRow(.good, .certificate, is: .pinMismatch),
    LiteralRow(.good, .publicKey, pins: .root, is: nil),
    LiteralRow(.good, .publicKey, pins: .root, scope: .leaf, is: .pinMismatch),
    LiteralRow(.good, .publicKey, pins: .oneRightOneForeign, is: nil),
    LiteralRow(.good, .publicKey, pins: .foreign, is: .pinMismatch),
    LiteralRow(.rotated, .publicKey, pins: .leaf, is: nil),
    LiteralRow(.rotated, .certificate, pins: .leaf, is: .pinMismatch),
    LiteralRow(.rotated, .certificate, pins: .intermediate, is: nil),
    LiteralRow(.otherAuthority, .publicKey, pins: .intermediate, is: .pinMismatch),
    LiteralRow(.otherAuthority, .certificate, invalid: true, pins: .root, is: .pinMismatch),
    LiteralRow(.selfSigned, .publicKey, pins: .leaf, is: .untrustedRoot),
    LiteralRow(.selfSigned, .publicKey, invalid: true, pins: .leaf, is: nil),
    LiteralRow(.selfSigned, .certificate, invalid: true, pins: .leaf, is: nil),
    LiteralRow(.privateRoot, .certificate, pins: .root, is: .untrustedRoot),
    LiteralRow(.privateRoot, .certificate, invalid: true, pins: .root, is: nil),
    LiteralRow(.expired, .publicKey, invalid: true, pins: .intermediate, is: nil),
    LiteralRow(.expired, .certificate, invalid: true, pins: .intermediate, is: .certificateExpired),
    LiteralRow(.wrongHost, .publicKey, invalid: true, pins: .intermediate, is: nil),
    LiteralRow(.wrongHost, .certificate, invalid: true, pins: .leaf, is: .hostMismatch),
    LiteralRow(.wrongHost, .certificate, invalid: true, domain: false, pins: .leaf, is: nil),
    LiteralRow(.incomplete, .publicKey, invalid: true, pins: .intermediate, is: .pinMismatch),
    LiteralRow(.incomplete, .publicKey, invalid: true, pins: .leaf, is: nil),
    LiteralRow(.incomplete, .certificate, invalid: true, pins: .intermediate, is: nil),
    LiteralRow(.incomplete, .certificate, invalid: true, pins: .root, is: .pinMismatch),
]
