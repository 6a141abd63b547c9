import ErrandSupport
import Foundation
import Testing

@testable import ErrandFiles

@Suite("FolderClaim")
struct FolderClaimTests {
    private let folder: TemporaryFolder
    private let owner = FolderClaim.Owner(name: "one", mayHaveFiles: false)

    init() throws {
        folder = try TemporaryFolder()
    }

    private var mark: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: folder[".errand-store"]) }

    /// Claims the folder, and returns the kind of failure.
    private func failure(_ owner: FolderClaim.Owner, hasFiles: Bool = false) -> String? {
        do throws(FolderClaim.Failure) {
            _ = try FolderClaim(folder.path, by: owner) { hasFiles }
            return nil
        } catch {
            switch error {
            case .otherOwner(let place): return place == folder.path ? "other" : nil
            case .unmarkedFiles(let place): return place == folder.path ? "unmarked" : nil
            case .inUse: return "in use"
            case .system(let failure): return "\(failure)"
            }
        }
    }

    @Test("An empty folder is marked, and belongs to the same owner from then on")
    func marks() throws {
        #expect(failure(owner) == nil)
        #expect(mark == "one")
        #expect(try folder.files() == [], "the mark is no file")
        #expect(failure(owner, hasFiles: true) == nil)
        #expect(failure(FolderClaim.Owner(name: "two", mayHaveFiles: true), hasFiles: true) == "other")
        #expect(failure(FolderClaim.Owner(name: "on", mayHaveFiles: true)) == "other")
        #expect(mark == "one")
    }

    @Test("A folder with files and without a mark is taken only by an owner that can have files")
    func unmarked() throws {
        #expect(failure(owner, hasFiles: true) == "unmarked")
        #expect(mark == nil)
        #expect(failure(FolderClaim.Owner(name: "old", mayHaveFiles: true), hasFiles: true) == nil)
        #expect(mark == "old")
    }

    @Test("A folder is used by one claim at a time")
    func lock() throws {
        let first = try FolderClaim(folder.path, by: owner) { false }
        #expect(first.isMarked)
        withExtendedLifetime(first) {
            #expect(failure(owner) == "in use")
        }
    }

    @Test("A damaged mark is that of another owner")
    func damaged() throws {
        try folder.write("one", to: ".errand-store")
        #expect(failure(owner) == "other")
    }

    @Test("A folder that is missing is an error of the system")
    func missing() throws {
        let failure = #expect(throws: FolderClaim.Failure.self) {
            _ = try FolderClaim(folder["none"], by: owner) { () throws(SystemFailure) in false }
        }
        guard case .system = failure else { Issue.record("\(String(describing: failure))"); return }
    }
}
