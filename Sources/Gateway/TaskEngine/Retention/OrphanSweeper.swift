import ErrandBodyFiles
import ErrandDownloads
import ErrandFiles
import ErrandTaskStore
import ErrandTime
import Logging

/// Removes files that belong to no task: their removal failed, or the process ended before it.
///
/// One scan after the start, folder by folder. A file is an orphan if its task is gone, or has ended without a file, as
/// then no attempt writes it. The file of a task that has not ended, or cannot be read, stays. So do the files that a
/// retry needs: the partial file of a download that failed, or was canceled to be continued, and the content of a
/// request that failed.
struct OrphanSweeper: Sendable {
    let storage: ContentStorage
    let store: any TaskStore
    /// The time of the scan: files of tasks that are newer stay, because such a task may be about to be stored.
    let begun: Timestamp
    let logger: Logger

    /// Checks all files; ends early when the calling task is canceled.
    ///
    /// - Returns: The number of removed files.
    @discardableResult
    func sweep() async -> Int {
        await sweep(storage.bodies, "body files", whenEnded: { $0.result.body?.location != .file })
            + sweep(
                storage.contents, "contents of requests",
                whenEnded: { $0.state != .failed || $0.content?.storedSize == nil })
            + sweepPartialFiles()
    }

    private func sweepPartialFiles() async -> Int {
        var removed = 0
        for folder in storage.partialFiles {
            do throws(SystemFailure) {
                for key in try await folder.keys() {
                    guard let id = TaskID(key), await isOrphan(id, whenEnded: { !$0.mayBeResumed }) else { continue }
                    await folder.removePartialFile(of: key)
                    removed += 1
                }
            } catch {
                logger.warning("Partial files could not be checked", metadata: ["error": "\(error)"])
            }
        }
        report(removed, "partial files")
        return removed
    }

    /// Checks the files of tasks.
    ///
    /// - Parameters:
    ///   - files: The files; `nil` for none.
    ///   - what: The files in words, for the log.
    ///   - isUnused: Returns true if a task that has ended does not need its file.
    private func sweep(_ files: BodyFiles?, _ what: String, whenEnded isUnused: (TaskRecord) -> Bool) async -> Int {
        guard let files else { return 0 }
        var removed = 0
        for folder in 0..<BodyFiles.folderCount where !Task.isCancelled {
            do throws(BodyFilesError) {
                for id in try await files.identifiers(inFolder: folder)
                where await isOrphan(id, whenEnded: isUnused) {
                    try await files.remove(id)
                    removed += 1
                }
            } catch {
                logger.warning(
                    "Files could not be checked", metadata: ["what": "\(what)", "error": "\(error.debugDescription)"])
            }
            await Task.yield()
        }
        report(removed, what)
        return removed
    }

    private func report(_ removed: Int, _ what: String) {
        guard removed > 0 else { return }
        logger.notice(
            "Removed files that belong to no task",
            metadata: ["what": "\(what)", "files": .stringConvertible(removed)])
    }

    /// Returns true if a file belongs to no task.
    ///
    /// - Parameter isUnused: Returns true if a task that has ended does not need it.
    private func isOrphan(_ id: TaskID, whenEnded isUnused: (TaskRecord) -> Bool) async -> Bool {
        guard !Task.isCancelled, id.timestamp < begun else { return false }
        do throws(TaskStoreError) {
            guard let record = try await store.task(id) else { return true }
            return record.state.isTerminal && isUnused(record)
        } catch {
            // A file whose task cannot be read is left alone.
            return false
        }
    }
}
