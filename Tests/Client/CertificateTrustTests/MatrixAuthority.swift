import ErrandSupport

/// The certificates of the matrix, created once for the process and kept in memory.
///
/// All are for `server.test` and valid from 2020 to 2049, unless their name says otherwise.
struct MatrixAuthority: Sendable {
    /// 2030-01-01T00:00:00Z: the time of all evaluations.
    static let now: Int64 = 1_893_456_000
    static let host = "server.test"

    var root: [UInt8]
    var intermediate: [UInt8]
    var good: [UInt8]
    var expired: [UInt8]
    var notYetValid: [UInt8]
    var wrongHost: [UInt8]
    /// Another certificate with the key of `good`.
    var rotated: [UInt8]
    var selfSigned: [UInt8]
    /// A certificate of a CA that is not an anchor.
    var privateLeaf: [UInt8]
    var privateIntermediate: [UInt8]
    var privateRoot: [UInt8]
    /// A certificate of another CA that is an anchor and not pinned.
    var otherLeaf: [UInt8]
    var otherIntermediate: [UInt8]
    var otherRoot: [UInt8]
    /// A certificate of a CA that takes no part.
    var foreign: [UInt8]

    /// The two trusted roots.
    var anchors: [[UInt8]] { [root, otherRoot] }

    private static let shared = Task { try await make() }

    /// Returns the instance of this process.
    static func load() async throws -> MatrixAuthority { try await shared.value }

    private static func make() async throws -> MatrixAuthority {
        let factory = try CertificateFactory()
        let names = CertificateFactory.server("DNS:server.test")
        let authority = CertificateFactory.authority
        let root = try await factory.issue("Root", extensions: authority)
        let intermediate = try await factory.issue("Intermediate", by: root, extensions: authority)
        let good = try await factory.issue("good", by: intermediate, extensions: names)
        let expired = try await factory.issue(
            "expired", by: intermediate, extensions: names, notAfter: "20250101000000Z")
        let notYetValid = try await factory.issue(
            "not yet valid", by: intermediate, extensions: names, notBefore: "20400101000000Z")
        let wrongHost = try await factory.issue(
            "wrong host", by: intermediate, extensions: CertificateFactory.server("DNS:elsewhere.test"))
        let rotated = try await factory.issue("rotated", by: intermediate, key: good.keyFile, extensions: names)
        let selfSigned = try await factory.issue("self-signed", extensions: names)
        let privateRoot = try await factory.issue("Private Root", extensions: authority)
        let privateIntermediate = try await factory.issue(
            "Private Intermediate", by: privateRoot, extensions: authority)
        let privateLeaf = try await factory.issue("private", by: privateIntermediate, extensions: names)
        let otherRoot = try await factory.issue("Other Root", extensions: authority)
        let otherIntermediate = try await factory.issue("Other Intermediate", by: otherRoot, extensions: authority)
        let otherLeaf = try await factory.issue("other", by: otherIntermediate, extensions: names)
        let foreign = try await factory.issue("Foreign", extensions: authority)
        return MatrixAuthority(
            root: root.der, intermediate: intermediate.der, good: good.der, expired: expired.der,
            notYetValid: notYetValid.der, wrongHost: wrongHost.der, rotated: rotated.der, selfSigned: selfSigned.der,
            privateLeaf: privateLeaf.der, privateIntermediate: privateIntermediate.der, privateRoot: privateRoot.der,
            otherLeaf: otherLeaf.der, otherIntermediate: otherIntermediate.der, otherRoot: otherRoot.der,
            foreign: foreign.der)
    }
}
