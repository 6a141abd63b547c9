import Digest
import Dispatch
import Glibc
import Synchronization
package import TaskStore
import Transfer

/// The files that hold the bodies of responses: one a task, at `<directory>/bodies/<2 hexadecimal digits>/<id>`.
///
/// A file appears under its name when it is complete, by renaming. What blocks (open, write, sync, remove) is done on
/// threads made for it, never on a caller's.
package final class BodyFiles: Sendable {
    private let bodies: String
    private let inlineLimitBytes: Int
    private let durability: Durability
    /// The threads that write.
    ///
    /// Each spool stays on one, so that its writes keep their order.
    private let writers: [DispatchQueue]
    private let reader = DispatchQueue(label: "errand.bodies.reader")
    private let turn = Atomic<Int>(0)

    /// Makes the folders and removes what incomplete writes have left.
    ///
    /// Blocks for as long as that takes: for the start of a process.
    ///
    /// - Parameters:
    ///   - directory: The folder that holds `bodies`; created when it is missing.
    ///   - inlineLimitBytes: A body up to so many bytes stays in memory and becomes no file.
    ///   - durability: What a finished file survives.
    ///   - writerCount: The threads that write; a sync of one does not hold up the files of another.
    package init(
        directory: String, inlineLimitBytes: Int, durability: Durability, writerCount: Int = 2
    ) throws(BodyFilesError) {
        bodies = "\(directory)/bodies"
        self.inlineLimitBytes = inlineLimitBytes
        self.durability = durability
        writers = (0..<max(writerCount, 1)).map { DispatchQueue(label: "errand.bodies.writer-\($0)") }
        do {
            try BodyFolders(bodies).prepare(durability)
        } catch {
            throw error.bodyFilesError
        }
    }

    /// The path of the body of a task, whether it exists or not.
    package func path(of id: TaskID) -> String {
        BodyPlace(id, below: bodies).path
    }

    /// Takes in the content of one attempt.
    ///
    /// - Parameters:
    ///   - id: The task. One spool at a time for each.
    ///   - maxBytes: More than so many bytes are `body_too_large`; `nil` for no limit.
    ///   - resume: Called, on a thread of the files, when the spool has answered ``ReceiveDecision/pause`` and can
    ///     take more (or has failed, which the next call tells).
    package func spool(for id: TaskID, maxBytes: Int64?, resume: @escaping @Sendable () -> Void) -> BodySpool {
        let next = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return BodySpool(
            place: BodyPlace(id, below: bodies), inlineLimitBytes: inlineLimitBytes, maxBytes: maxBytes,
            durability: durability, writer: writers[Int(UInt(bitPattern: next) % UInt(writers.count))], resume: resume)
    }

    /// Reads bytes of a body file.
    ///
    /// - Parameters:
    ///   - id: The task.
    ///   - offset: The first byte.
    ///   - maxBytes: At most so many bytes; fewer come only at the end of the file.
    /// - Throws: ``BodyFilesError/Code/missing`` when there is no file.
    package func read(_ id: TaskID, from offset: Int64 = 0, maxBytes: Int) async throws(BodyFilesError) -> [UInt8] {
        let path = path(of: id)
        return try await perform { () throws(SystemFailure) in
            let file = try FileDescriptor(path, O_RDONLY)
            let rest = try max(file.size() - max(offset, 0), 0)
            return try file.read(Int(min(rest, Int64(max(maxBytes, 0)))), at: max(offset, 0))
        }
    }

    /// Removes the body file of a task, if there is one.
    package func remove(_ id: TaskID) async throws(BodyFilesError) {
        let path = path(of: id)
        try await perform { () throws(SystemFailure) in
            guard unlink(path) == 0 || errno == ENOENT else { throw SystemFailure("unlink \(path)") }
        }
    }

    /// How many folders the files are spread over.
    package static let folderCount = BodyFolders.count

    /// The tasks that have a complete body file in one of the folders, in no order.
    ///
    /// - Parameter number: Which folder, from 0 to one less than ``folderCount``.
    package func identifiers(inFolder number: Int) async throws(BodyFilesError) -> [TaskID] {
        let folders = BodyFolders(bodies)
        return try await perform { () throws(SystemFailure) in try folders.identifiers(inFolder: number) }
    }

    /// The bytes that may still be written to the file system of the files.
    package func freeBytes() async throws(BodyFilesError) -> Int64 {
        let bodies = bodies
        return try await perform { () throws(SystemFailure) in
            var status = statvfs()
            guard statvfs(bodies, &status) == 0 else { throw SystemFailure("statvfs \(bodies)") }
            return Int64(
                clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
        }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable () throws(SystemFailure) -> Value
    ) async throws(BodyFilesError) -> Value {
        let result = await withCheckedContinuation { continuation in
            reader.async {
                do throws(SystemFailure) {
                    continuation.resume(returning: Result<Value, BodyFilesError>.success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error.bodyFilesError))
                }
            }
        }
        return try result.get()
    }
}
