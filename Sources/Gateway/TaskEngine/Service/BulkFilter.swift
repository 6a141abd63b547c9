package import ErrandJSON
import ErrandSessionCore
package import ErrandTaskStore
package import ErrandTime
import HTTPTypes

/// The tasks of a bulk request: the filters of the task list as members of an object, or identifiers.
package enum BulkFilter: Sendable, Hashable {
    /// The tasks that match all filters.
    case matching(TaskQuery)
    /// The tasks with these identifiers, in the given order.
    case ids([TaskID])

    /// The maximum number of identifiers.
    static let maxIDs = 1000

    private static let filters =
        ["state", "session", "kind", "labels", "parent", "schedule", "retried", "error", "status", "method", "hold"]
        + TaskQuery.TimeFilter.allCases.map(\.rawValue)

    /// Reads the filter from the options.
    ///
    /// An object without any filter is refused, as it would easily select all tasks by mistake.
    ///
    /// - Parameter now: The present, for relative times.
    /// - Returns: `nil` when the filter is invalid, which is reported.
    package static func read(_ options: inout JSONObjectReader, at now: Timestamp) -> BulkFilter? {
        let query = query(&options, at: now)
        let ids = ids(&options)
        let given = filters.filter { options.says($0) }
        if let ids {
            for name in given { options.report(name, "expected ids or filters, not both") }
            return .ids(ids)
        }
        guard !given.isEmpty else {
            options.report("expected ids, or at least one of \(filters.joined(separator: ", "))")
            return nil
        }
        return .matching(query)
    }

    private static func ids(_ options: inout JSONObjectReader) -> [TaskID]? {
        guard
            let ids = options.list("ids", expecting: "the id of a task", { $0.string.flatMap { TaskID($0) } })
        else { return nil }
        if ids.count > maxIDs {
            options.report("ids", "expected at most \(maxIDs) ids, found \(ids.count)")
        }
        var seen: Set<TaskID> = []
        return ids.filter { seen.insert($0).inserted }
    }

    private static func query(_ options: inout JSONObjectReader, at now: Timestamp) -> TaskQuery {
        var query = TaskQuery()
        if let states = words("state", in: &options, expecting: TaskState.oneOf, { TaskState(rawValue: $0) }) {
            query.states = Set(states)
        }
        if let sessions = words("session", in: &options, expecting: "the name of a session", { $0 }) {
            query.sessions = Set(sessions)
        }
        query.kind = options.choice("kind", TaskKind.self)
        query.parent = options.parsed("parent", expecting: "the id of a task") { $0.string.flatMap { TaskID($0) } }
        query.labels = labels(&options)
        query.schedule = options.parsed("schedule", expecting: "the name of a schedule") { $0.string }
        query.isRetried = options.boolean("retried")
        query.errorCode = options.choice("error", SessionErrorCode.self)?.rawValue
        query.statuses = options.parsed("status", expecting: QueryStatus.expectation) { value in
            switch value.kind {
            case .string(let text): QueryStatus.parse(text)
            case .number(let number): QueryStatus.parse(number.lexeme)
            default: nil
            }
        }
        query.hold = options.parsed("hold", expecting: TaskHold.oneOf) { $0.string.flatMap { TaskHold($0) } }
        query.method = options.parsed("method", expecting: "a method such as GET") { value in
            value.string.flatMap { RequestMethodRules.method(named: $0, hasBody: false)?.rawValue }
        }
        for filter in TaskQuery.TimeFilter.allCases {
            let time = options.parsed(filter.rawValue, expecting: QueryTime.expectation) { value in
                value.string.flatMap { QueryTime($0, at: now) }
            }
            if let time { query.set(filter, to: time) }
        }
        return query
    }

    private static func labels(_ options: inout JSONObjectReader) -> [String: String] {
        let labels = TaskLabels.read(&options)
        if labels.isEmpty, options.says("labels") { options.report("labels", "expected at least one label") }
        return labels
    }

    /// The most words of an array, far below the number of arguments that a statement of SQLite can have.
    private static let wordLimit = 1000

    /// Reads a word, or a non-empty array of words.
    private static func words<Word>(
        _ name: String, in options: inout JSONObjectReader, expecting expectation: String,
        _ read: (String) -> Word?
    ) -> [Word]? {
        if options.value(name)?.array == nil {
            return options.parsed(name, expecting: expectation) { $0.string.flatMap(read) }.map { [$0] }
        }
        let words = options.list(name, expecting: expectation) { $0.string.flatMap(read) }
        if words?.isEmpty == true { options.report(name, "expected at least one") }
        if let words, words.count > wordLimit {
            options.report(name, "expected at most \(wordLimit), found \(words.count)")
        }
        return words
    }
}

extension BulkFilter {
    /// Returns true if a task that the filter has selected still matches it.
    func stillSelects(_ record: TaskRecord, _ dispatcher: Dispatcher) -> Bool {
        switch self {
        case .matching(let query): query.stillMatches(record) && dispatcher.stillHolds(record, as: query)
        case .ids: true
        }
    }

    /// The filter with only the texts of its relative times: equal for equal requests, at any time.
    var withoutRelativeMoments: BulkFilter {
        switch self {
        case .matching(let query): .matching(query.withoutRelativeMoments)
        case .ids: self
        }
    }
}

extension TaskState {
    /// The names of all states, for messages.
    static var oneOf: String {
        allCases.map(\.rawValue).joined(separator: ", ")
    }
}
