import ErrandSupport
import Testing

@testable import ErrandCertificateTrust

@Suite("The system's roots", .serialized, .enabled(if: CertificateFactory.isInstalled))
struct SystemAnchorsTests {
    private static let nowhere = "/nonexistent"

    @Test("They are read once, and again when the file has changed")
    func reading() async throws {
        let factory = try CertificateFactory()
        let root = try await factory.issue("Root", extensions: CertificateFactory.authority)
        let leaf = try await factory.issue("leaf", by: root, extensions: AttackAuthority.server)
        let other = try await factory.issue("Other", extensions: CertificateFactory.authority)
        let chain = try PresentedChain([leaf.der])
        func current() throws -> AnchorStore {
            try SystemAnchors.current(file: factory.path("roots.pem"), folder: Self.nowhere)
        }
        try factory.copy(other.certificateFile, to: "roots.pem")
        let first = try current()
        #expect(try current() === first)
        #expect(try first.path(from: chain, at: AttackAuthority.now).fault(.anchor) != nil)
        try factory.copy(root.certificateFile, to: "roots.pem")
        let second = try current()
        #expect(second !== first)
        #expect(try second.path(from: chain, at: AttackAuthority.now).faults.isEmpty)
    }

    @Test("Without a file or a folder no peer is trusted")
    func nothing() async throws {
        let authority = try await MatrixAuthority.load()
        let anchors = try SystemAnchors.current(file: Self.nowhere, folder: Self.nowhere)
        let chain = try PresentedChain([authority.good, authority.intermediate])
        let path = try anchors.path(from: chain, at: MatrixAuthority.now)
        #expect(path.faults.map(\.kind) == [.anchor])
        #expect(path.certificates.count == 2)
    }
}
