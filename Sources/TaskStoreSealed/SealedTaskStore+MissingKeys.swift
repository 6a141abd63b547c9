package import Sealing
package import TaskStore

extension SealedTaskStore {
    /// A key that tasks which are not over are sealed with, and that is not in the ring.
    package struct MissingKey: Sendable, Hashable {
        /// The key.
        package var id: SealingKeyID
        /// One of the tasks that cannot be read without it.
        package var task: TaskID
    }

    /// Looks for keys that are needed and missing, to be told when the gateway starts.
    ///
    /// It reads the tasks with an open attempt and, of each session, the oldest that wait: keys are taken out of the
    /// ring in the order in which they were put in, so what is needed and missing has sealed the oldest. It does not
    /// read all that waits, which may be a million.
    ///
    /// - Returns: Each missing key that it has met once, in the order of the identifiers of their tasks.
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

    /// How many waiting tasks of a session are looked at.
    private static let oldest = 8

    private func note(_ record: TaskRecord, in missing: inout [SealingKeyID: TaskID]) {
        guard let id = sealer.missingKey(of: record), missing[id].map({ record.id < $0 }) ?? true else { return }
        missing[id] = record.id
    }
}

extension DocumentSealer {
    /// The key that a record as it was written needs and the ring does not have.
    fileprivate func missingKey(of record: TaskRecord) -> SealingKeyID? {
        let result = record.result
        for document in [record.specification.task, result.attempts, result.response ?? [], result.error ?? []] {
            guard let id = SealedForm.keyID(of: document), !keys.keyIDs.contains(id) else { continue }
            return id
        }
        return nil
    }
}
