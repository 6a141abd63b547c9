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
    /// tasks, possibly a million, is not necessary.
    ///
    /// - Returns: Each missing key once, sorted by the identifiers of their tasks.
    package func missingKeys() async throws(TaskStoreError) -> [MissingKey] {
        var missing: [SealingKeyID: TaskID] = [:]
        var last: TaskID?
        while true {
            let page = try await base.interrupted(after: last, limit: 100)
            guard let end = page.last else { break }
            for record in page { note(record, in: &missing) }
            last = end.id
        }
        for session in try await base.counts().sessions {
            for id in try await base.pending(session: session, after: nil, limit: Self.oldest) {
                if let record = try await base.task(id) { note(record, in: &missing) }
            }
        }
        return missing.map { MissingKey(id: $0.key, task: $0.value) }.sorted { $0.task < $1.task }
    }

    /// The number of waiting tasks per session that are examined.
    private static let oldest = 8

    private func note(_ record: TaskRecord, in missing: inout [SealingKeyID: TaskID]) {
        guard let id = sealer.missingKey(of: record), missing[id].map({ record.id < $0 }) ?? true else { return }
        missing[id] = record.id
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
