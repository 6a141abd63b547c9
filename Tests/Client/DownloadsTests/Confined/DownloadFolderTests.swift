import ErrandFiles
import ErrandSupport
import Glibc
import Testing

@testable import ErrandDownloads

@Suite("DownloadFolder")
struct DownloadFolderTests {
    private let folder: TemporaryFolder
    private let key = "a-1"

    init() throws {
        folder = try TemporaryFolder()
    }

    private func downloads(_ name: String, mayHaveFiles: Bool = false) -> DownloadFolder {
        DownloadFolder(
            path: folder["downloads"], owner: FolderClaim.Owner(name: name, mayHaveFiles: mayHaveFiles))
    }

    @Test("It is created and marked with the first download, and then refused to other owners, which remove nothing")
    func otherOwner() async throws {
        let (first, second) = (downloads("one"), downloads("two", mayHaveFiles: true))
        try first.claimPartialFiles()
        try second.claimPartialFiles()
        #expect(try folder.files().isEmpty)
        _ = try PartialPlace(of: key, in: first).create()
        #expect(try FolderClaim.isMarked(folder["downloads/.downloads.part"]))
        #expect(try await first.keys() == [key])
        await #expect(throws: SystemFailure.self) { try await second.keys() }
        let failure = #expect(throws: SystemFailure.self) { try PartialPlace(of: "b-1", in: second) }
        #expect(failure?.number == EACCES)
        #expect(throws: FolderClaim.Failure.self) { try downloads("two").claimPartialFiles() }
    }

    @Test("As long as it is missing, it is on the disk of the folder above it")
    func disk() {
        let downloads = DownloadFolder(path: folder["downloads/of/tasks"])
        #expect(!downloads.isOnOtherDisk(than: folder.path))
        #expect(downloads.isOnOtherDisk(than: "/proc"))
    }

    @Test("Partial files without a mark are those of an owner that can have files only")
    func unmarked() async throws {
        _ = try PartialPlace(of: key, in: DownloadFolder(path: folder["downloads"])).create()
        #expect(throws: FolderClaim.Failure.self) { try downloads("new").claimPartialFiles() }
        let old = downloads("old", mayHaveFiles: true)
        try old.claimPartialFiles()
        #expect(try await old.keys() == [key])
    }
}
