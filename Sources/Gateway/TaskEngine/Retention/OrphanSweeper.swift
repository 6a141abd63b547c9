import ErrandBodyFiles
import ErrandTaskStore
import Logging

/// Removes body files that belong to no task: their removal failed, or the process ended before it.
///
/// One scan after the start, folder by folder. A file is an orphan if its task is gone, or has ended without a file, as
/// then no attempt writes it. The file of a task that has not ended, or cannot be read, stays.
struct OrphanSweeper: Sendable {
    let bodies: BodyFiles
    let store: any TaskStore
    let logger: Logger

    /// Checks all body files; ends early when the calling task is cancelled.
    ///
    /// - Returns: The number of removed files.
    @discardableResult
    func sweep() async -> Int {
        var removed = 0
        for folder in 0..<BodyFiles.folderCount where !Task.isCancelled {
            do throws(BodyFilesError) {
                for id in try await bodies.identifiers(inFolder: folder) where await isOrphan(id) {
                    try await bodies.remove(id)
                    removed += 1
                }
            } catch {
                logger.warning("Body files could not be checked", metadata: ["error": "\(error.debugDescription)"])
            }
            await Task.yield()
        }
        if removed > 0 {
            logger.notice("Removed body files that belong to no task", metadata: ["files": .stringConvertible(removed)])
        }
        return removed
    }

    private func isOrphan(_ id: TaskID) async -> Bool {
        guard !Task.isCancelled else { return false }
        do throws(TaskStoreError) {
            guard let record = try await store.task(id) else { return true }
            return record.state.isTerminal && record.result.body?.location != .file
        } catch {
            // A file whose task cannot be read is left alone.
            return false
        }
    }
}
