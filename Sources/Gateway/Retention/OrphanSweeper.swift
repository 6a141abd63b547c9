import BodyFiles
import Logging
import TaskStore

/// Removes body files that belong to no task any more: their removal has failed, or the process ended before it.
///
/// One scan after the start, folder by folder. A file is an orphan when its task is gone, or done without a file: nobody
/// writes it any more then. What belongs to a task that is not done, or cannot be read, stays.
struct OrphanSweeper: Sendable {
    let bodies: BodyFiles
    let store: any TaskStore
    let logger: Logger

    /// Looks at all body files; ends early when the calling task is cancelled.
    ///
    /// - Returns: How many were removed.
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
                logger.warning("Body files could not be checked", metadata: ["error": "\(error)"])
            }
            await Task.yield()
        }
        if removed > 0 {
            logger.notice("Removed body files that belong to no task", metadata: ["files": "\(removed)"])
        }
        return removed
    }

    private func isOrphan(_ id: TaskID) async -> Bool {
        guard !Task.isCancelled else { return false }
        do throws(TaskStoreError) {
            guard let record = try await store.task(id) else { return true }
            return record.state.isTerminal && record.result.body?.location != .file
        } catch {
            // Whoever cannot tell leaves it alone.
            return false
        }
    }
}
