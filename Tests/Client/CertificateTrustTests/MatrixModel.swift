import ErrandTransfer

/// Derives the verdicts of the matrix from the rules of the security policy, without parsing certificates.
struct MatrixModel {
    let authority: MatrixAuthority

    /// Returns the error for a cell's server; `nil` if it is accepted.
    func refusal(_ cell: MatrixCell) -> TransferError.Code? {
        let pins = cell.pins.certificates(cell.server, authority)
        if cell.allowsInvalid, cell.validatesDomain, cell.pinning == .none || pins.isEmpty {
            return .secureConnectionFailed
        }
        if !cell.allowsInvalid, let code = standardRefusal(cell) { return code }
        return switch cell.pinning {
        case .none: nil
        case .publicKey: keyRefusal(cell, pins)
        case .certificate: certificateRefusal(cell, pins)
        }
    }

    /// Step 3: the requirements on every certificate.
    private func standardRefusal(_ cell: MatrixCell) -> TransferError.Code? {
        cell.server.isAnchored ? dateOrHostRefusal(cell) : .untrustedRoot
    }

    private func dateOrHostRefusal(_ cell: MatrixCell) -> TransferError.Code? {
        if let code = cell.server.dateFault { return code }
        return cell.validatesDomain && !cell.server.isForHost ? .hostMismatch : nil
    }

    /// Step 5: the path consists of the presented certificates and continues to a trusted root.
    private func keyRefusal(_ cell: MatrixCell, _ pins: [[UInt8]]) -> TransferError.Code? {
        let lineage = cell.server.lineage(authority)
        let path = cell.server.isAnchored ? lineage : Array(lineage.prefix(cell.server.shownCount))
        let keys = (cell.scope == .leaf ? Array(path.prefix(1)) : path).map(key)
        return keys.contains { pins.map(key).contains($0) } ? nil : .pinMismatch
    }

    /// Step 4: the path leads through presented or pinned certificates to the first pin.
    private func certificateRefusal(_ cell: MatrixCell, _ pins: [[UInt8]]) -> TransferError.Code? {
        if let code = dateOrHostRefusal(cell) { return code }
        let lineage = cell.server.lineage(authority)
        let known = lineage.indices.prefix { $0 < cell.server.shownCount || pins.contains(lineage[$0]) }
        let matching = cell.scope == .leaf ? known.prefix(1) : known
        return matching.contains { pins.contains(lineage[$0]) } ? nil : .pinMismatch
    }

    /// Returns an identifier for a certificate's key: its own bytes, except that two certificates share a key.
    private func key(_ certificate: [UInt8]) -> [UInt8] {
        certificate == authority.rotated ? authority.good : certificate
    }
}
