import ErrandTransfer

/// The chain that a server of the matrix presents, with known facts about it.
enum ServerCase: String, CaseIterable {
    case good, selfSigned, privateRoot, expired, notYetValid, wrongHost, otherAuthority, rotated, incomplete

    /// Returns the certificates that sign one another, the server's own first, whether or not they are presented.
    func lineage(_ authority: MatrixAuthority) -> [[UInt8]] {
        let trusted = [authority.intermediate, authority.root]
        return switch self {
        case .good, .incomplete: [authority.good] + trusted
        case .expired: [authority.expired] + trusted
        case .notYetValid: [authority.notYetValid] + trusted
        case .wrongHost: [authority.wrongHost] + trusted
        case .rotated: [authority.rotated] + trusted
        case .selfSigned: [authority.selfSigned]
        case .privateRoot: [authority.privateLeaf, authority.privateIntermediate, authority.privateRoot]
        case .otherAuthority: [authority.otherLeaf, authority.otherIntermediate, authority.otherRoot]
        }
    }

    /// The number of certificates of its lineage that the server presents; a trusted root is optional.
    var shownCount: Int {
        switch self {
        case .incomplete, .selfSigned: 1
        case .privateRoot: 3
        default: 2
        }
    }

    /// Returns the certificates that the session's operator knows as the server's.
    ///
    /// They date from before the key was certified again, and before the server changed its CA.
    func pinned(_ authority: MatrixAuthority) -> [[UInt8]] {
        switch self {
        case .rotated, .otherAuthority: [authority.good, authority.intermediate, authority.root]
        case .selfSigned: Array(repeating: authority.selfSigned, count: 3)
        default: lineage(authority)
        }
    }

    var dateFault: TransferError.Code? {
        switch self {
        case .expired: .certificateExpired
        case .notYetValid: .certificateNotYetValid
        default: nil
        }
    }

    /// A Boolean value that indicates whether the presented chain leads to one of the two trusted roots.
    var isAnchored: Bool {
        switch self {
        case .selfSigned, .privateRoot, .incomplete: false
        default: true
        }
    }

    /// A Boolean value that indicates whether the certificate is for the host.
    var isForHost: Bool { self != .wrongHost }
}

/// The pins of the session.
enum PinCase: String, CaseIterable {
    case leaf, intermediate, root, oneRightOneForeign, foreign, none

    func certificates(_ server: ServerCase, _ authority: MatrixAuthority) -> [[UInt8]] {
        let own = server.pinned(authority)
        return switch self {
        case .leaf: [own[0]]
        case .intermediate: [own[1]]
        case .root: [own[2]]
        case .oneRightOneForeign: [authority.foreign, own[0]]
        case .foreign: [authority.foreign]
        case .none: []
        }
    }
}

/// One cell of the matrix.
struct MatrixCell: CustomStringConvertible {
    var server: ServerCase
    var pinning: TrustPolicy.Pinning = .none
    var allowsInvalid = false
    var validatesDomain = true
    var pins: PinCase = .none
    var scope: TrustPolicy.PinScope = .any

    var description: String {
        "\(server) · \(pinning) · allow_invalid \(allowsInvalid) · validate_domain \(validatesDomain) · pins \(pins) · "
            + "scope \(scope)"
    }

    /// All cells.
    static var all: [MatrixCell] {
        var cells: [MatrixCell] = []
        for server in ServerCase.allCases {
            for pinning in TrustPolicy.Pinning.allCases {
                for (allowsInvalid, validatesDomain) in [(false, false), (false, true), (true, false), (true, true)] {
                    for pins in PinCase.allCases {
                        for scope in TrustPolicy.PinScope.allCases {
                            cells.append(
                                MatrixCell(
                                    server: server, pinning: pinning, allowsInvalid: allowsInvalid,
                                    validatesDomain: validatesDomain, pins: pins, scope: scope))
                        }
                    }
                }
            }
        }
        return cells
    }

    /// Returns the cell's policy.
    func policy(_ authority: MatrixAuthority) -> TrustPolicy {
        let pins = pins.certificates(server, authority).enumerated().map { index, der in
            CertificatePin(label: "pin \(index + 1)", .certificate(der))
        }
        return TrustPolicy(
            pinning: pinning, pins: pins, pinScope: scope, allowsInvalidCertificates: allowsInvalid,
            validatesDomain: validatesDomain, anchors: .certificates(authority.anchors))
    }
}
