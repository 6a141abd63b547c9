import ErrandCertificateTrust
import ErrandSupport
import ErrandTransfer
import Testing

/// Returns the verdict on the certificates that the server of a cell presents.
private func judge(_ cell: MatrixCell, _ authority: MatrixAuthority, policy: TrustPolicy) throws -> TrustVerdict {
    let shown = cell.server.lineage(authority).prefix(cell.server.shownCount)
    return try TrustEvaluator(policy).evaluate(
        presented: Array(shown), host: MatrixAuthority.host, at: MatrixAuthority.now)
}

@Suite("The matrix of the security policy", .enabled(if: CertificateFactory.isInstalled))
struct TrustMatrixTests {
    @Test("Each of its 1,296 cells has the verdict that the rules define")
    func cells() async throws {
        let authority = try await MatrixAuthority.load()
        let model = MatrixModel(authority: authority)
        let cells = MatrixCell.all
        #expect(cells.count == 1296)
        for cell in cells {
            let verdict = try judge(cell, authority, policy: cell.policy(authority))
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
        for cell in MatrixCell.all where cell.pinning == .publicKey {
            let policy = cell.policy(authority)
            var digests = policy
            digests.pins = try cell.pins.certificates(cell.server, authority).map {
                CertificatePin.key(of: try CertificateSummary(der: $0))
            }
            let byCertificate = try judge(cell, authority, policy: policy).refusal?.code
            let byDigest = try judge(cell, authority, policy: digests).refusal?.code
            #expect(byDigest == byCertificate, "\(cell)")
        }
    }

    @Test("Manually derived cells match the model and the evaluator", arguments: literalRows)
    func literals(row: LiteralRow) async throws {
        let authority = try await MatrixAuthority.load()
        #expect(MatrixModel(authority: authority).refusal(row.cell) == row.refusal)
        let verdict = try judge(row.cell, authority, policy: row.cell.policy(authority))
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
