import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import Testing

@testable import ErrandDownloads

@Suite("The digest of a file", .timeLimit(.hang))
struct DownloadChecksumFileTests {
    private let folder: TemporaryFolder
    /// A digest that no file of these tests has.
    private static let other = DownloadChecksum.sha256(String(repeating: "0", count: 64))

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Creates a file of zeros, which takes no space.
    private func zeros(_ count: Int64) throws -> PartialFile {
        let file = try PartialFile(inFolder: folder.path)
        try file.begin(at: count)
        return file
    }

    @Test("is compared with the expected one, also if it takes several steps")
    func steps() async throws {
        let file = try zeros(2 * SerialQueues.stepBytes + 5)
        // Computed by sha256sum.
        let digest = "1154e83d93bb6c714614bece22521bbceb02d3978ad55368fae188e7e2c1c6fd"
        try await DownloadChecksum.sha256(digest).verify(file) { false }
        let error = await #expect(throws: SessionError.self) { try await Self.other.verify(file) { false } }
        #expect(error?.code == .checksumMismatch)
    }

    @Test("is not computed further if it is canceled between two pieces")
    func canceled() async throws {
        let file = try zeros(3 * Int64(ContentBuffer.pieceBytes))
        await DigestExpectations.expectEndBetweenPieces { (isCanceled) async throws(SessionError) in
            try await Self.other.verify(file, unless: isCanceled)
        }
    }

    @Test("lets Swift tasks run, although it is computed for as many files as the pool has threads, and for more")
    func otherTasks() async throws {
        let files = try (0..<DigestExpectations.concurrentCount).map { _ in try zeros(16 << 30) }
        await DigestExpectations.expectOtherTasksRun(beside: files) { file, isCanceled async throws(SessionError) in
            try await Self.other.verify(file, unless: isCanceled)
        }
    }
}
