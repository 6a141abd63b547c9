import ErrandBodyFiles
import ErrandDownloads
import ErrandFiles
import ErrandTaskStore
import Logging

/// Removes body files and partial files that belong to no task: their removal failed, or the process ended before it.
///
/// One scan after the start, folder by folder. A file is an orphan if its task is gone, or has ended without a file, as
/// then no attempt writes it. The file of a task that has not ended, or cannot be read, stays. So does the partial file
/// of a download that failed, which a retry continues.
struct OrphanSweeper: Sendable {
    let places: ContentPlaces
    let store: any TaskStore
    let logger: Logger

    /// Checks all files; ends early when the calling task is cancelled.
    ///
    /// - Returns: The number of removed files.
    @discardableResult
    func sweep() async -> Int {
        await sweepBodies() + sweepPartialFiles()
    }

    private func sweepPartialFiles() async -> Int {
        guard let downloads = places.downloads else { return 0 }
        var removed = 0
        do throws(SystemFailure) {
            for key in try await downloads.keys() {
                guard let id = TaskID(key), await isOrphan(id, whenEnded: { $0.state != .failed }) else { continue }
                await downloads.removePartialFile(of: key)
                removed += 1
            }
        } catch {
            logger.warning("Partial files could not be checked", metadata: ["error": "\(error)"])
        }
        if removed > 0 {
            logger.notice(
                "Removed partial files that belong to no task", metadata: ["files": .stringConvertible(removed)])
        }
        return removed
    }

    private func sweepBodies() async -> Int {
        let bodies = places.bodies
        var removed = 0
        for folder in 0..<BodyFiles.folderCount where !Task.isCancelled {
            do throws(BodyFilesError) {
                for id in try await bodies.identifiers(inFolder: folder)
                where await isOrphan(id, whenEnded: { $0.result.body?.location != .file }) {
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

    /// Returns true if a file belongs to no task.
    ///
    /// - Parameter isUnused: Returns true if a task that has ended does not need it.
    private func isOrphan(_ id: TaskID, whenEnded isUnused: (TaskRecord) -> Bool) async -> Bool {
        guard !Task.isCancelled else { return false }
        do throws(TaskStoreError) {
            guard let record = try await store.task(id) else { return true }
            return record.state.isTerminal && isUnused(record)
        } catch {
            // A file whose task cannot be read is left alone.
            return false
        }
    }
}
