import ErrandLocking
import ErrandSessionCore
import ErrandSupport
import Glibc
import Testing

@testable import ErrandDownloads

@Suite("The digest of a stored file", .timeLimit(.hang))
struct DownloadChecksumStoredFileTests {
    private let folder: TemporaryFolder
    private static let checksum = DownloadChecksum.sha512(String(repeating: "0", count: 128))

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Creates a file of zeros, which takes no space, and returns its path.
    private func zeros(_ count: Int64, name: String = "file") throws -> String {
        let path = try folder.write("", to: name)
        try #require(truncate(path, off_t(count)) == 0)
        return path
    }

    @Test("is that of the whole file, also if it takes several steps")
    func steps() async throws {
        let bytes = 2 * SerialQueues.stepBytes + 5
        let checksum = DownloadChecksum.sha256(String(repeating: "0", count: 64))
        let found = try await checksum.digest(ofFileAt: try zeros(bytes), bytes: bytes) { false }
        // Computed by sha256sum.
        try DownloadChecksum.sha256("1154e83d93bb6c714614bece22521bbceb02d3978ad55368fae188e7e2c1c6fd").verify(found)
    }

    @Test("is not computed of a file that is gone, or that has another size; another attempt may repair it")
    func incomplete() async throws {
        let path = try zeros(10)
        for (path, bytes) in [(path, 11), (path, 9), ("\(path)-gone", 10)] as [(String, Int64)] {
            let error = await #expect(throws: SessionError.self) {
                try await Self.checksum.digest(ofFileAt: path, bytes: bytes) { false }
            }
            #expect(error?.code == .cannotWrite)
            #expect(error?.isRetryable == true)
        }
    }

    @Test("is not computed further if it is canceled between two pieces")
    func canceled() async throws {
        let bytes = 3 * Int64(ContentBuffer.pieceBytes)
        let path = try zeros(bytes)
        await DigestExpectations.expectEndBetweenPieces { (isCanceled) async throws(SessionError) in
            _ = try await Self.checksum.digest(ofFileAt: path, bytes: bytes, unless: isCanceled)
        }
    }

    @Test("lets Swift tasks run, although it is computed for as many files as the pool has threads, and for more")
    func otherTasks() async throws {
        let bytes: Int64 = 16 << 30
        let paths = try (0..<DigestExpectations.concurrentCount).map { try zeros(bytes, name: "\($0)") }
        await DigestExpectations.expectOtherTasksRun(beside: paths) { path, isCanceled async throws(SessionError) in
            _ = try await Self.checksum.digest(ofFileAt: path, bytes: bytes, unless: isCanceled)
        }
    }
}
