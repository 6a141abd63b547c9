package import ErrandCryptography
package import ErrandTaskStore

extension SealedTaskStore {
    /// A key that is missing from the keyring although unfinished tasks are sealed with it.
    package struct MissingKey: Sendable, Hashable {
        /// The key.
        package var id: SealingKeyID
        /// One of the tasks that cannot be read without it.
        package var task: TaskID
    }

    /// Finds keys that are needed but missing, to report them when the gateway starts.
    ///
    /// It reads the tasks with an open attempt and the oldest waiting tasks of each session. Keys are removed from the
    /// ring in the order in which they were added, so a missing key has sealed the oldest tasks. Reading all waiting
    /// tasks, possibly a million, is not necessary. A damaged task is left out.
    ///
    /// - Returns: Each missing key once, sorted by the identifiers of their tasks.
    package func missingKeys() async throws(TaskStoreError) -> [MissingKey] {
        var missing: [SealingKeyID: TaskID] = [:]
        var last: TaskID?
        while true {
            let page = try await base.interrupted(after: last, limit: 100)
            guard let end = page.last else { break }
            for id in page { try await note(id, in: &missing) }
            last = end
        }
        for session in try await base.counts().sessions {
            for id in try await base.pending(session: session, after: nil, limit: Self.oldest) {
                try await note(id, in: &missing)
            }
        }
        return missing.map { MissingKey(id: $0.key, task: $0.value) }.sorted { $0.task < $1.task }
    }

    /// The number of waiting tasks per session that are examined.
    private static let oldest = 8

    /// Records the key that a task needs, if the ring does not have it.
    private func note(
        _ task: TaskID, in missing: inout [SealingKeyID: TaskID]
    ) async throws(TaskStoreError) {
        guard let record = try await unlessDamaged(task), let id = sealer.missingKey(of: record),
            missing[id].map({ task < $0 }) ?? true
        else { return }
        missing[id] = task
    }

    /// Returns a task as it is stored; `nil` if it is gone or damaged.
    private func unlessDamaged(_ id: TaskID) async throws(TaskStoreError) -> TaskRecord? {
        do throws(TaskStoreError) {
            return try await base.task(id)
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }
}

extension DocumentSealer {
    /// Returns the key that a stored record needs and that the ring does not have.
    fileprivate func missingKey(of record: TaskRecord) -> SealingKeyID? {
        let result = record.result
        for document in [record.specification.task, result.attempts, result.response ?? [], result.error ?? []] {
            guard let id = SealedForm.keyID(of: document), !keys.keyIDs.contains(id) else { continue }
            return id
        }
        return nil
    }
}
