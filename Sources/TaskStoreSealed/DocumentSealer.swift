import Sealing
import TaskStore

/// Seals and opens the documents of tasks, events and schedules, and the values of cookies.
///
/// The context of a sealed value is the name of its column and what its record is known by, each of a length that
/// follows from what comes before: no two values have the same.
struct DocumentSealer: Sendable {
    let keys: SealingKeyring

    /// Which documents of a record are sealed.
    enum Part: Sendable {
        /// All.
        case all
        /// Those of the result.
        case result
    }

    /// The documents that are sealed, by the names that they have in the store.
    private enum Column: UInt8 {
        case task = 1
        case request
        case attempts
        case response
        case error
        case cookie
        case callback
        case redirect
        case schedule

        /// The context of a value of a task.
        func context(_ id: TaskID) -> [UInt8] {
            [rawValue] + id.bytes
        }
    }

    // MARK: Tasks

    /// The record as it is written.
    func sealing(_ record: TaskRecord, with part: Part) throws(TaskStoreError) -> TaskRecord {
        guard keys.canSeal else { return record }
        var record = record
        let id = record.id
        if part == .all {
            record.specification.task = try seal(record.specification.task, .task, id)
            record.specification.request = try seal(record.specification.request, .request, id)
            if let callback = record.specification.callback {
                record.specification.callback = try seal(callback, .callback, id)
            }
        }
        record.result.attempts = try seal(record.result.attempts, .attempts, id)
        if let response = record.result.response { record.result.response = try seal(response, .response, id) }
        if let error = record.result.error { record.result.error = try seal(error, .error, id) }
        return record
    }

    /// The record as it was before it was written.
    func opening(_ record: TaskRecord) throws(TaskStoreError) -> TaskRecord {
        var record = record
        let id = record.id
        record.specification.task = try open(record.specification.task, .task, id)
        record.specification.request = try open(record.specification.request, .request, id)
        if let callback = record.specification.callback {
            record.specification.callback = try open(callback, .callback, id)
        }
        record.result.attempts = try open(record.result.attempts, .attempts, id)
        if let response = record.result.response { record.result.response = try open(response, .response, id) }
        if let error = record.result.error { record.result.error = try open(error, .error, id) }
        return record
    }

    /// The record as it was before it was written, `nil` when that cannot be read.
    func openingIfPossible(_ record: TaskRecord) -> TaskRecord? {
        do {
            return try opening(record)
        } catch {
            return nil
        }
    }

    /// The record as it is shown in a list: without its documents when they cannot be read, and with the reason in the
    /// place of the request.
    func showing(_ record: TaskRecord) -> TaskRecord {
        do {
            return try opening(record)
        } catch {
            var record = record
            record.specification = TaskSpecification(
                task: [], request: unreadable(error), contentBytes: record.specification.contentBytes)
            record.result.attempts = []
            record.result.response = nil
            record.result.error = nil
            return record
        }
    }

    /// What is shown in the place of a document that cannot be read.
    private func unreadable(_ error: TaskStoreError) -> [UInt8] {
        // The messages of `TaskStoreError(_:)` below need no escapes.
        Array(#"{"unreadable":"\#(error.message)"}"#.utf8)
    }

    /// An empty document says that there is none: nothing to hide, and the store tells by it what there is.
    private func seal(_ document: [UInt8], _ column: Column, _ id: TaskID) throws(TaskStoreError) -> [UInt8] {
        try seal(document, context: column.context(id))
    }

    private func open(_ document: [UInt8], _ column: Column, _ id: TaskID) throws(TaskStoreError) -> [UInt8] {
        try open(document, context: column.context(id))
    }

    private func seal(_ document: [UInt8], context: [UInt8]) throws(TaskStoreError) -> [UInt8] {
        guard !document.isEmpty else { return document }
        do {
            return try keys.seal(document, context: context)
        } catch {
            throw TaskStoreError(error)
        }
    }

    private func open(_ document: [UInt8], context: [UInt8]) throws(TaskStoreError) -> [UInt8] {
        // JSON does not begin like that: it was written when there was no key.
        guard SealedForm.isSealed(document) else { return document }
        do {
            return try keys.open(document, context: context)
        } catch {
            throw TaskStoreError(error)
        }
    }

    // MARK: Events

    /// What a redirect of a task tells, as it is written.
    func sealing(redirect detail: [UInt8], of id: TaskID) throws(TaskStoreError) -> [UInt8] {
        keys.canSeal ? try seal(detail, .redirect, id) : detail
    }

    /// An event as it was before it was written; what it tells is replaced by the reason when it cannot be read.
    func showing(_ event: StoredEvent) -> StoredEvent {
        guard let detail = event.detail else { return event }
        var event = event
        do {
            event.detail = try open(detail, .redirect, event.task)
        } catch {
            event.detail = unreadable(error)
        }
        return event
    }

    // MARK: Schedules

    /// A schedule as it is written.
    func sealing(_ schedule: ScheduleRecord) throws(TaskStoreError) -> ScheduleRecord {
        guard keys.canSeal else { return schedule }
        var schedule = schedule
        schedule.definition = try seal(schedule.definition, context: context(ofSchedule: schedule.name))
        return schedule
    }

    /// A schedule as it was before it was written; its definition is replaced by the reason when it cannot be read.
    func showing(_ schedule: ScheduleRecord) -> ScheduleRecord {
        var schedule = schedule
        do {
            schedule.definition = try open(schedule.definition, context: context(ofSchedule: schedule.name))
        } catch {
            schedule.definition = unreadable(error)
        }
        return schedule
    }

    private func context(ofSchedule name: String) -> [UInt8] {
        [Column.schedule.rawValue] + name.utf8
    }

    // MARK: Cookies

    /// The value of a cookie as it is written: text.
    func sealing(valueOf cookie: StoredCookie, session: String) throws(TaskStoreError) -> String {
        guard keys.canSeal else { return cookie.value }
        do {
            return SealedText.encode(try keys.seal(Array(cookie.value.utf8), context: context(cookie.key, session)))
        } catch {
            throw TaskStoreError(error)
        }
    }

    /// The value of a cookie as it was before it was written.
    func opening(valueOf cookie: StoredCookie, session: String) throws(TaskStoreError) -> String {
        guard SealedText.isSealed(cookie.value) else { return cookie.value }
        do {
            let sealed = try SealedText.decode(cookie.value)
            return String(decoding: try keys.open(sealed, context: context(cookie.key, session)), as: UTF8.self)
        } catch {
            throw TaskStoreError(error)
        }
    }

    private func context(_ key: StoredCookie.Key, _ session: String) -> [UInt8] {
        var context = [Column.cookie.rawValue, key.isHostOnly ? 1 : 0]
        for text in [session, key.domain, key.path, key.name] {
            append(text.utf8.count, to: &context)
            context += text.utf8
        }
        return context
    }

    private func append(_ count: Int, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }
}

extension TaskStoreError {
    /// What a failure to seal or open means for the record.
    ///
    /// The messages are put into JSON as they are: they have neither quotes nor backslashes.
    init(_ error: SealingError) {
        switch error.code {
        case .unknownKey:
            self.init(
                .sealed,
                "The record is sealed with the key \(error.keyID.map(\.description) ?? ""), "
                    + "which is not among store.encryption_keys")
        case .tooNew:
            self.init(.sealed, "The record was sealed by a newer version of this program")
        case .tampered, .notSealed:
            self.init(.corrupt, "The sealed record was changed, or belongs to another one")
        case .tooLarge, .badKey, .noKey, .noRandomness, .unavailable:
            self.init(.unexpected, "The record cannot be sealed or opened", underlying: error.description)
        }
    }
}
