import Transfer

/// The verdicts of the matrix from the rules of the security policy alone: no certificate is looked into.
struct MatrixModel {
    let authority: MatrixAuthority

    /// Why a cell's server is refused; `nil` when it is accepted.
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

    /// Step 3: what is asked of any certificate.
    private func standardRefusal(_ cell: MatrixCell) -> TransferError.Code? {
        cell.server.isAnchored ? dateOrHostRefusal(cell) : .untrustedRoot
    }

    private func dateOrHostRefusal(_ cell: MatrixCell) -> TransferError.Code? {
        if let code = cell.server.dateFault { return code }
        return cell.validatesDomain && !cell.server.isForHost ? .hostMismatch : nil
    }

    /// Step 5: the path is what is shown, and goes on to a trusted root.
    private func keyRefusal(_ cell: MatrixCell, _ pins: [[UInt8]]) -> TransferError.Code? {
        let lineage = cell.server.lineage(authority)
        let path = cell.server.isAnchored ? lineage : Array(lineage.prefix(cell.server.shownCount))
        let keys = (cell.scope == .leaf ? Array(path.prefix(1)) : path).map(key)
        return keys.contains { pins.map(key).contains($0) } ? nil : .pinMismatch
    }

    /// Step 4: the path goes up through what is shown or pinned, to the first pin.
    private func certificateRefusal(_ cell: MatrixCell, _ pins: [[UInt8]]) -> TransferError.Code? {
        if let code = dateOrHostRefusal(cell) { return code }
        let lineage = cell.server.lineage(authority)
        let known = lineage.indices.prefix { $0 < cell.server.shownCount || pins.contains(lineage[$0]) }
        let matching = cell.scope == .leaf ? known.prefix(1) : known
        return matching.contains { pins.contains(lineage[$0]) } ? nil : .pinMismatch
    }

    /// A name for a certificate's key: its own bytes, but that two certificates share a key.
    private func key(_ certificate: [UInt8]) -> [UInt8] {
        certificate == authority.rotated ? authority.good : certificate
    }
}
