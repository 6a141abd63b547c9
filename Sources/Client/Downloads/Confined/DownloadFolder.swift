import Dispatch
package import ErrandFiles
import ErrandLocking
import ErrandText
import Glibc

import struct Synchronization.Atomic

/// A folder for the downloads of a program, with the partial files of those that are incomplete.
///
/// The partial files are in a folder of their own, on the same file system: each is named by the key of its download,
/// and beside it is the record by which it is resumed, also after the end of the process. Any thread.
package final class DownloadFolder: Sendable {
    /// The path of the folder, which is created with the first download.
    ///
    /// Symbolic links in it are followed.
    package let path: String
    /// The free space on the disk that downloads leave, in bytes; 0 for no minimum.
    let minFreeBytes: Int64
    private let mayHavePartials: Atomic<Bool>
    private let owner: FolderClaim.Owner?
    private let claim = Mutex<FolderClaim?>(nil)
    private let queue = DispatchQueue(label: "errand.downloads.folder")

    /// The name of the folder of partial files, which is not allowed as a ``FileName``.
    static let partialsName = ".downloads.part"

    /// Creates a folder.
    ///
    /// Looks once whether an earlier process has left partial files.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - minFreeBytes: The free space on the disk below which downloads end with an error; 0, the default, for none.
    ///   - owner: The owner of the partial files, whose mark their folder gets; `nil`, the default, if nothing else can
    ///     use the folder.
    package init(path: String, minFreeBytes: Int64 = 0, owner: FolderClaim.Owner? = nil) {
        self.path = path
        self.owner = owner
        self.minFreeBytes = minFreeBytes
        mayHavePartials = Atomic((try? Folder.hasEntry(at: "\(path)/\(Self.partialsName)")) ?? true)
    }

    /// Returns true if the folder is on another disk than a folder; blocks.
    ///
    /// As long as it is missing, the folder above it counts. False if one of them cannot be examined.
    package func isOnOtherDisk(than folder: String) -> Bool {
        guard let device = Self.device(of: path), let other = Self.device(of: folder) else { return false }
        return device != other
    }

    private static func device(of folder: String) -> dev_t? {
        let parent = folder.parentFolder
        var status = stat()
        guard stat(folder, &status) != 0 else { return status.st_dev }
        return errno == ENOENT && parent != folder ? device(of: parent) : nil
    }

    /// False if there are certainly no partial files.
    package var mayHavePartialFiles: Bool { mayHavePartials.load(ordering: .acquiring) }

    /// Claims the folder of partial files for the owner, if there is one; blocks.
    ///
    /// A folder that is created later is claimed then.
    package func claimPartialFiles() throws(FolderClaim.Failure) {
        let folder = "\(path)/\(Self.partialsName)"
        guard let owner else { return }
        do throws(SystemFailure) {
            guard try Folder.hasEntry(at: folder) else { return }
        } catch {
            throw .system(error)
        }
        try claim.withLock { (claim) throws(FolderClaim.Failure) in
            guard claim == nil else { return }
            claim = try FolderClaim(folder, by: owner) { () throws(SystemFailure) in
                try Folder.hasEntries(folder, besides: [FolderClaim.markName])
            }
        }
    }

    /// Claims the folder of partial files, or fails as if it were the folder of another user.
    private func requireClaim() throws(SystemFailure) {
        do throws(FolderClaim.Failure) {
            try claimPartialFiles()
        } catch {
            if case .system(let failure) = error { throw failure }
            throw SystemFailure("claim \(path)/\(Self.partialsName)", number: EACCES)
        }
    }

    /// Performs work on partial files, which may block.
    package func perform<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await DownloadQueues.writers.perform(work)
    }

    /// Opens the folder of partial files, which is created if it is missing.
    ///
    /// Blocks the calling thread.
    func openPartials() throws(SystemFailure) -> ConfinedFolder {
        try DownloadPath.makeFolder(path)
        let folder = try ConfinedFolder(own: Self.partialsName, below: path, isCreated: true)
        try requireClaim()
        mayHavePartials.store(true, ordering: .releasing)
        return folder
    }

    /// Removes the partial file of a download that will not be resumed, if there is one.
    ///
    /// Costs nothing as long as no download has begun. The download must not be under way.
    package func removePartialFile(of key: String) async {
        guard mayHavePartialFiles else { return }
        await queue.perform { self.remove(key) }
    }

    /// Returns the keys of the downloads that have a partial file or a record.
    ///
    /// - Throws: The folder cannot be read.
    package func keys() async throws(SystemFailure) -> Set<String> {
        let keys = await queue.perform { () -> Result<Set<String>, SystemFailure> in
            Result { () throws(SystemFailure) in try self.list() }
        }
        return try keys.get()
    }

    /// Returns the number of bytes that a download does not request again when it is resumed; 0 if it begins at the
    /// first byte.
    package func resumableBytes(of key: String) async -> Int64 {
        guard mayHavePartialFiles else { return 0 }
        // A folder that cannot be opened has nothing from which a download is resumed.
        return await queue.perform { (try? PartialPlace(existing: key, in: self))?.resumableBytes ?? 0 }
    }

    private func remove(_ key: String) {
        // A folder that cannot be opened has nothing to remove, or is found again by the next sweep.
        (try? PartialPlace(existing: key, in: self))?.remove()
    }

    private func list() throws(SystemFailure) -> Set<String> {
        // The files of another owner must not be taken for those of no download.
        try requireClaim()
        var keys: Set<String> = []
        do throws(SystemFailure) {
            try Folder.forEachName(in: "\(path)/\(Self.partialsName)") { (name) throws(SystemFailure) in
                if let key = PartialPlace.key(ofFile: name) { keys.insert(key) }
            }
        } catch {
            // Without the folder, there was no download.
            guard error.isMissingFile else { throw error }
        }
        return keys
    }
}
