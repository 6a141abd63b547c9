import ErrandCryptography
import ErrandTaskStore

/// Seals and opens the documents of tasks, events and schedules, the media types of responses, and the values of
/// cookies.
///
/// The context of a sealed value consists of the number of its column and the key of its record. The length of each
/// part follows from the preceding parts, so that no two values have the same context.
struct DocumentSealer: Sendable {
    let keys: SealingKeyring

    /// The documents of a record to seal.
    enum Part: Sendable {
        /// All documents.
        case all
        /// The documents of the result.
        case result
    }

    /// The sealed documents, by their names in the store.
    ///
    /// The numbers are in the contexts of stored values, which a changed number would make unreadable. So none is ever
    /// changed or used for another column.
    private enum Column: UInt8 {
        case task = 1
        case request = 2
        case attempts = 3
        case response = 4
        case error = 5
        case cookie = 6
        case callback = 7
        case hop = 8
        case schedule = 9
        case bodyType = 10

        /// Returns the context of a value of a task.
        func context(_ id: TaskID) -> [UInt8] {
            [rawValue] + id.bytes
        }
    }

    // MARK: Tasks

    /// Returns a record with sealed documents, for writing.
    func sealing(_ record: TaskRecord, with part: Part) throws(TaskStoreError) -> TaskRecord {
        guard keys.canSeal else { return record }
        var values = record.values
        try replaceDocuments(of: &values, part, by: seal)
        try replaceBodyType(of: &values, by: sealing(bodyType:of:))
        return TaskRecord(values)
    }

    /// Returns a stored record with opened documents.
    func opening(_ record: TaskRecord) throws(TaskStoreError) -> TaskRecord {
        var values = record.values
        try replaceDocuments(of: &values, .all, by: open)
        try replaceBodyType(of: &values, by: opening(bodyType:of:))
        return TaskRecord(values)
    }

    private func replaceDocuments(
        of values: inout TaskRecord.Values, _ part: Part,
        by replace: (_ document: [UInt8], _ column: Column, _ id: TaskID) throws(TaskStoreError) -> [UInt8]
    ) throws(TaskStoreError) {
        let id = values.id
        if part == .all {
            values.specification.task = try replace(values.specification.task, .task, id)
            values.specification.request = try replace(values.specification.request, .request, id)
            if let callback = values.specification.callback {
                values.specification.callback = try replace(callback, .callback, id)
            }
        }
        values.result.attempts = try replace(values.result.attempts, .attempts, id)
        if let response = values.result.response { values.result.response = try replace(response, .response, id) }
        if let error = values.result.error { values.result.error = try replace(error, .error, id) }
    }

    /// Replaces the media type of the content of a response, which the upstream has written like the head.
    private func replaceBodyType(
        of values: inout TaskRecord.Values, by replace: (_ type: String, _ id: TaskID) throws(TaskStoreError) -> String
    ) throws(TaskStoreError) {
        guard let type = values.result.body?.contentType else { return }
        values.result.body?.contentType = try replace(type, values.id)
    }

    private func sealing(bodyType type: String, of id: TaskID) throws(TaskStoreError) -> String {
        guard !type.isEmpty else { return type }
        return SealedText.encode(try seal(Array(type.utf8), as: .bodyType, of: id), mark: .lineFeed)
    }

    private func opening(bodyType type: String, of id: TaskID) throws(TaskStoreError) -> String {
        // Former versions have sealed none.
        guard SealedText.isSealed(type, mark: .lineFeed) else { return type }
        do {
            let sealed = try SealedText.decode(type, mark: .lineFeed)
            return String(decoding: try keys.open(sealed, context: Column.bodyType.context(id)), as: UTF8.self)
        } catch {
            throw TaskStoreError(error)
        }
    }

    /// Returns a record for a list.
    ///
    /// If its documents cannot be read, they are missing, and the reason replaces the request.
    func showing(_ record: TaskRecord) -> TaskRecord {
        do {
            return try opening(record)
        } catch {
            var values = record.values
            values.specification = TaskSpecification(
                task: [], request: unreadable(error), contentBytes: values.specification.contentBytes)
            values.result.attempts = []
            values.result.response = nil
            values.result.error = nil
            values.result.body?.contentType = nil
            return TaskRecord(values)
        }
    }

    /// Returns the replacement for a document that cannot be read.
    private func unreadable(_ error: TaskStoreError) -> [UInt8] {
        // The messages of `TaskStoreError(_:)` below need no escapes.
        Array(#"{"unreadable":"\#(error.message)"}"#.utf8)
    }

    /// Seals a document, unless it is empty.
    ///
    /// An empty document means that there is none. It has nothing to hide, and the store relies on it.
    private func seal(_ document: [UInt8], as column: Column, of id: TaskID) throws(TaskStoreError) -> [UInt8] {
        try seal(document, context: column.context(id))
    }

    private func open(_ document: [UInt8], as column: Column, of id: TaskID) throws(TaskStoreError) -> [UInt8] {
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
        // JSON never begins like a sealed document, so this one was written before there was a key.
        guard SealedForm.isSealed(document) else { return document }
        do {
            return try keys.open(document, context: context)
        } catch {
            throw TaskStoreError(error)
        }
    }

    // MARK: Events

    /// Returns the sealed details of a redirect or challenge, for writing.
    func sealing(hop detail: [UInt8], of id: TaskID) throws(TaskStoreError) -> [UInt8] {
        keys.canSeal ? try seal(detail, as: .hop, of: id) : detail
    }

    /// Returns a stored event with opened details.
    ///
    /// If they cannot be read, the reason replaces them.
    func showing(_ event: StoredEvent) -> StoredEvent {
        guard let detail = event.detail else { return event }
        var event = event
        do {
            event.detail = try open(detail, as: .hop, of: event.task)
        } catch {
            event.detail = unreadable(error)
        }
        return event
    }

    // MARK: Schedules

    /// Returns a schedule with a sealed definition, for writing.
    func sealing(_ schedule: ScheduleRecord) throws(TaskStoreError) -> ScheduleRecord {
        guard keys.canSeal else { return schedule }
        var schedule = schedule
        schedule.definition = try seal(schedule.definition, context: context(ofSchedule: schedule.name))
        return schedule
    }

    /// Returns a stored schedule with an opened definition.
    func opening(_ schedule: ScheduleRecord) throws(TaskStoreError) -> ScheduleRecord {
        var schedule = schedule
        schedule.definition = try open(schedule.definition, context: context(ofSchedule: schedule.name))
        return schedule
    }

    /// Returns a stored schedule with an opened definition.
    ///
    /// If it cannot be read, the reason replaces it.
    func showing(_ schedule: ScheduleRecord) -> ScheduleRecord {
        do {
            return try opening(schedule)
        } catch {
            var schedule = schedule
            schedule.definition = unreadable(error)
            return schedule
        }
    }

    private func context(ofSchedule name: String) -> [UInt8] {
        [Column.schedule.rawValue] + name.utf8
    }

    // MARK: Cookies

    /// Returns the sealed value of a cookie as text, for writing.
    func sealing(valueOf cookie: StoredCookie, session: String) throws(TaskStoreError) -> String {
        guard keys.canSeal else { return cookie.value }
        do {
            return SealedText.encode(try keys.seal(Array(cookie.value.utf8), context: context(cookie.key, session)))
        } catch {
            throw TaskStoreError(error)
        }
    }

    /// Returns the opened value of a stored cookie.
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
    /// Creates the error of a record that cannot be sealed or opened.
    ///
    /// The messages are inserted into JSON as they are, so they contain neither quotes nor backslashes.
    init(_ error: SealingError) {
        switch error.code {
        case .unknownKey:
            self.init(
                .sealed,
                "The record is sealed with the key \(error.keyID.map(\.description) ?? ""), "
                    + "which is not among store.encryption_keys; add the key again")
        case .tooNew:
            self.init(.sealed, "The record was sealed by a newer version of this program")
        case .tampered, .notSealed:
            self.init(.corrupt, "The sealed record was modified, or belongs to another record")
        case .tooLarge, .badKey, .noKey, .noRandomness, .unavailable:
            self.init(.unexpected, "The record cannot be sealed or opened", underlying: error.description)
        }
    }
}
