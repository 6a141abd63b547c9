import Dispatch
import ErrandCryptography
package import ErrandFiles
import ErrandLocking
package import ErrandTaskStore
import ErrandTransfer
import Glibc
package import Logging

/// The files that store content, at most one per task, at `<directory>/<name>/<2 hexadecimal digits>/<id>`.
///
/// The content of responses is in `bodies`, that of requests in `contents`.
///
/// A complete file gets its name by renaming. Blocking calls (open, write, sync, remove) run on dedicated threads, and
/// not on the caller's thread; except the removal of an incomplete file that its last owner releases.
package final class BodyFiles: Sendable {
    private let folders: BodyFolders
    /// The path of the folder of the files.
    package var path: String { folders.path }
    /// The largest body that stays in memory instead of a file, in bytes.
    package let inlineLimitBytes: Int
    private let durability: Durability
    private let minFreeBytes: Int64
    private let logger: Logger?
    /// The threads that write.
    ///
    /// Each spool uses one of them, so that its writes keep their order.
    private let writers: SerialQueues
    private let reader = DispatchQueue(label: "errand.bodies.reader")
    /// The threads that read incomplete files before they are continued, so that no other file waits meanwhile.
    private let openers = SerialQueues(count: 4, label: "errand.bodies.opener")

    /// Creates the folder and removes incomplete files.
    ///
    /// Blocks until that is done; intended for the start of a process.
    ///
    /// - Parameters:
    ///   - directory: The folder that contains the folder of the files; created if it is missing.
    ///   - name: The name of the folder of the files.
    ///   - inlineLimitBytes: The largest body that stays in memory instead of a file, in bytes.
    ///   - durability: The events that a finished file survives.
    ///   - minFreeBytes: The free space on the disk below which a file that is being written fails with `disk_full`,
    ///     checked at its first bytes and every 16 MiB; 0 for no minimum.
    ///   - writerCount: The number of threads that write. A sync on one thread does not delay files on the others.
    ///   - logger: Logs files that cannot be written or read.
    package init(
        directory: String, name: String = "bodies", inlineLimitBytes: Int, durability: Durability,
        minFreeBytes: Int64 = 0, writerCount: Int = 2, logger: Logger? = nil
    ) throws(BodyFilesError) {
        folders = BodyFolders("\(directory)/\(name)", durability: durability)
        self.inlineLimitBytes = inlineLimitBytes
        self.durability = durability
        self.minFreeBytes = minFreeBytes
        self.logger = logger
        writers = SerialQueues(count: writerCount, label: "errand.bodies.writer")
        do {
            try folders.prepare()
        } catch {
            throw error.bodyFilesError
        }
    }

    /// Returns true if a folder of files has any, complete or not; creates and removes nothing, and blocks.
    ///
    /// - Parameters:
    ///   - directory: The folder that contains the folder of the files.
    ///   - name: The name of the folder of the files.
    package static func exist(in directory: String, name: String) throws(SystemFailure) -> Bool {
        try BodyFolders.hasFiles(below: "\(directory)/\(name)")
    }

    /// Returns the path of a task's body, even if the file does not exist.
    package func path(of id: TaskID) -> String {
        BodyPlace.path(of: id, below: folders.path)
    }

    /// Creates a spool that receives the content of one attempt.
    ///
    /// - Parameters:
    ///   - id: The task. Only one spool per task may exist at a time.
    ///   - maxBytes: The size limit, beyond which the spool fails with `body_too_large`; `nil` for no limit.
    ///   - keeper: The place of the incomplete file, if it may be kept (``BodySpool/keep()``). Default: `nil`, a file
    ///     that is removed if it does not become complete.
    ///   - kept: The content that the spool continues; `nil`, the default, for none.
    ///   - resume: Called on a thread of the files when the spool has returned ``ReceiveDecision/pause`` and can take
    ///     more bytes, or has failed; the next call then reports the failure.
    package func spool(
        for id: TaskID, maxBytes: Int64?, keptAt keeper: (any KeptBodyPlace)? = nil, continuing kept: KeptBody? = nil,
        resume: @escaping @Sendable () -> Void
    ) -> BodySpool {
        BodySpool(
            place: BodyPlace(id, in: folders), inlineLimitBytes: inlineLimitBytes, maxBytes: maxBytes,
            durability: durability, minFreeBytes: minFreeBytes, writer: writers.assign(), logger: logger,
            keptAt: keeper, continuing: kept, resume: resume)
    }

    /// Opens an incomplete file that was kept, perhaps by an earlier process, and reads it for its digest, in steps
    /// between which other files have their turn.
    ///
    /// - Parameters:
    ///   - id: The task that continues it.
    ///   - path: The path of the file.
    ///   - keeper: The place of the file.
    ///   - bytes: The number of bytes that count, from the first on; others are dropped.
    ///   - isCanceled: Returns true to give up. Called on other threads.
    /// - Returns: The content; `nil` if the file is gone or shorter, cannot be read, or the call was given up. The file
    ///   is then as before.
    package func openKept(
        for id: TaskID, at path: String, _ keeper: any KeptBodyPlace, bytes: Int64,
        unless isCanceled: @escaping @Sendable () -> Bool
    ) async -> KeptBody? {
        let (place, minFreeBytes) = (BodyPlace(id, in: folders), minFreeBytes)
        do throws(SystemFailure) {
            return try await openers.performInSteps(with: KeptFile?.none) {
                (reading: inout KeptFile?) throws(SystemFailure) -> KeptBody? in
                var file = if let open = reading.take() { open } else { try KeptFile(at: path, keeping: bytes) }
                guard try file.step(unless: isCanceled) else {
                    reading = consume file
                    return nil
                }
                let part = try PartFile(place, continuing: file, at: keeper, minFreeBytes: minFreeBytes)
                return KeptBody(part, size: bytes)
            }
        } catch {
            return nil
        }
    }

    /// Reads bytes of a body file.
    ///
    /// - Parameters:
    ///   - id: The task.
    ///   - offset: The first byte.
    ///   - maxBytes: The most bytes to read. The result is shorter only at the end of the file.
    /// - Throws: ``BodyFilesError/Code/missing`` if there is no file.
    package func read(_ id: TaskID, from offset: Int64 = 0, maxBytes: Int) async throws(BodyFilesError) -> [UInt8] {
        let path = path(of: id)
        do throws(BodyFilesError) {
            return try await perform { () throws(SystemFailure) in
                let file = try FileDescriptor(path, O_RDONLY)
                let rest = try max(file.size() - max(offset, 0), 0)
                return try file.read(Int(min(rest, Int64(max(maxBytes, 0)))), at: max(offset, 0))
            }
        } catch {
            logger?.warning(
                "A body file could not be read",
                metadata: ["file": "\(path)", "error": "\(error.underlying ?? error.description)"])
            throw error
        }
    }

    /// Gives the file of a task to another one, and leaves none to the first.
    ///
    /// - Throws: ``BodyFilesError/Code/missing`` if there is no file.
    package func move(_ id: TaskID, to other: TaskID) async throws(BodyFilesError) {
        let (path, moved) = (path(of: id), BodyPlace(other, in: folders))
        let durability = durability
        try await perform { () throws(SystemFailure) in
            try moved.makeFolder()
            guard rename(path, moved.path) == 0 else { throw SystemFailure("rename \(path)") }
            // After a loss of power the former name may exist again: then no task has the file, and it is removed.
            if durability == .full { try FileDescriptor(moved.folder, O_RDONLY | O_DIRECTORY).synchronize() }
        }
    }

    /// Shares the file of a task with another one, which then has the same content; both can be removed independently.
    ///
    /// - Throws: ``BodyFilesError/Code/missing`` if there is no file.
    package func share(_ id: TaskID, with other: TaskID) async throws(BodyFilesError) {
        let (path, shared) = (path(of: id), BodyPlace(other, in: folders))
        let durability = durability
        try await perform { () throws(SystemFailure) in
            try shared.makeFolder()
            guard link(path, shared.path) == 0 || errno == EEXIST else { throw SystemFailure("link \(path)") }
            if durability == .full { try FileDescriptor(shared.folder, O_RDONLY | O_DIRECTORY).synchronize() }
        }
    }

    /// Removes the body file of a task, if there is one.
    package func remove(_ id: TaskID) async throws(BodyFilesError) {
        let path = path(of: id)
        try await perform { () throws(SystemFailure) in
            guard unlink(path) == 0 || errno == ENOENT else { throw SystemFailure("unlink \(path)") }
        }
    }

    /// The number of folders that contain the files.
    package static let folderCount = BodyFolders.count

    /// Returns the tasks with a complete body file in one of the folders, in no particular order.
    ///
    /// - Parameter number: The index of the folder, from 0 to one less than ``folderCount``.
    package func identifiers(inFolder number: Int) async throws(BodyFilesError) -> [TaskID] {
        let folders = folders
        return try await perform { () throws(SystemFailure) in try folders.identifiers(inFolder: number) }
    }

    /// Returns the number of bytes that can still be written to the file system of the files.
    package func freeBytes() async throws(BodyFilesError) -> Int64 {
        let path = path
        return try await perform { () throws(SystemFailure) in Int64(try DiskSpace(folder: path).freeBytes) }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable () throws(SystemFailure) -> Value
    ) async throws(BodyFilesError) -> Value {
        do throws(SystemFailure) {
            return try await reader.perform(work)
        } catch {
            throw error.bodyFilesError
        }
    }
}
