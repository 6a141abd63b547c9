import ErrandHTTPServer
import ErrandJSON
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTaskStore
import ErrandTime
import HTTPTypes

/// The query parameters of the task list.
enum TaskListQuery {
    /// The filters of the list.
    static let filterNames =
        ["state", "session", "kind", "parent", "schedule", "retried", "error", "status", "method", "hold"]
        + TaskQuery.TimeFilter.allCases.map(\.rawValue) + [anyLabel]

    /// The name that stands for the filters by label.
    static let anyLabel = "label.KEY"

    /// Returns true if a parameter is a filter of the list.
    static func isFilter(_ name: String) -> Bool { filterNames.contains(name) || name.hasPrefix("label.") }

    /// The parameters of pages, which are not filters.
    static let pageParameters = ["fields", "sort", "page_size", "page_token"]

    /// The parameters that only lists have: events do not contain what they select by.
    static let listOnly: Set = [
        "schedule", "retried", "finished_after", "finished_before", "error", "status", "method", "hold",
    ]

    /// Reads the filters of a request without pages.
    ///
    /// - Parameters:
    ///   - further: The other parameters of the endpoint, for the message about an unknown one.
    ///   - unavailable: The filters that the endpoint does not have.
    /// - Throws: The first invalid value or unknown parameter, or a parameter of pages.
    static func filters(
        _ items: [QueryItem], for caller: Caller, at now: Timestamp, besides further: [String] = [],
        without unavailable: Set<String> = []
    ) throws(RequestRefusal) -> TaskQuery {
        if let page = items.first(where: { pageParameters.contains($0.name) }) {
            throw .parameter(page.name, "only the task list has this parameter; remove it")
        }
        let known = filterNames.filter { !unavailable.contains($0) } + further
        return try read(items, for: caller, at: now, among: known, of: "this endpoint")
    }

    /// Reads the filters and the page.
    ///
    /// Tasks of sessions that the caller must not see are never listed.
    ///
    /// - Parameter now: The present, for relative times.
    /// - Throws: The first invalid value or unknown parameter.
    static func read(
        _ items: [QueryItem], for caller: Caller, at now: Timestamp
    ) throws(RequestRefusal) -> TaskQuery {
        try read(items, for: caller, at: now, among: filterNames + pageParameters, of: "the list")
    }

    private static func read(
        _ items: [QueryItem], for caller: Caller, at now: Timestamp, among known: [String], of endpoint: String
    ) throws(RequestRefusal) -> TaskQuery {
        var query = TaskQuery()
        var token: String?
        for item in items {
            switch item.name {
            case "state":
                guard let state = TaskState(rawValue: item.value) else {
                    throw .parameter("state", expected: oneOf(TaskState.self), found: item.value)
                }
                query.states.insert(state)
            case "session":
                query.sessions = (query.sessions ?? []).union([item.value])
            case "kind":
                guard let kind = TaskKind(rawValue: item.value) else {
                    throw .parameter("kind", expected: oneOf(TaskKind.self), found: item.value)
                }
                query.kind = kind
            case "parent":
                guard let id = TaskID(item.value) else {
                    throw .parameter("parent", expected: "the id of a task", found: item.value)
                }
                query.parent = id
            case "schedule": query.schedule = item.value
            case "retried":
                guard let isRetried = Bool(item.value) else {
                    throw .parameter("retried", expected: "true or false", found: item.value)
                }
                query.isRetried = isRetried
            case "error":
                guard let code = SessionErrorCode(rawValue: item.value) else {
                    throw .parameter("error", expected: "an error code such as timed_out", found: item.value)
                }
                query.errorCode = code.rawValue
            case "status":
                guard let statuses = QueryStatus.parse(item.value) else {
                    throw .parameter("status", expected: QueryStatus.expectation, found: item.value)
                }
                query.statuses = statuses
            case "method":
                guard let method = RequestMethodRules.method(named: item.value, hasBody: false) else {
                    throw .parameter("method", expected: "a method such as GET", found: item.value)
                }
                query.method = method.rawValue
            case "hold":
                guard let hold = TaskHold(item.value) else {
                    throw .parameter("hold", expected: TaskHold.oneOf, found: item.value)
                }
                query.hold = hold
            case "page_size":
                guard let size = Int(item.value), (1...1000).contains(size) else {
                    throw .parameter("page_size", expected: "a number from 1 to 1000", found: item.value)
                }
                query.pageSize = size
            case "page_token": token = item.value
            case "sort":
                guard let order = TaskOrder(rawValue: item.value) else {
                    throw .parameter("sort", expected: oneOf(TaskOrder.self), found: item.value)
                }
                query.order = order
            case FieldsQuery.parameter: continue  // selects members, not tasks
            case let name where name.hasPrefix("label."):
                let key = String(name.dropFirst("label.".count))
                if let fault = TaskLabels.fault(ofKey: key, value: item.value) {
                    throw .parameter(name.shortened(toBytes: 64), fault)
                }
                query.labels[key] = item.value
                guard query.labels.count <= TaskLabels.limit else {
                    throw .parameter(name, "expected at most \(TaskLabels.limit) labels; remove some")
                }
            case let name:
                guard let filter = TaskQuery.TimeFilter(rawValue: name) else {
                    throw .unknownParameter(name, among: known, of: endpoint)
                }
                query.set(filter, to: try time(item, at: now))
            }
        }
        query.sessions = caller.narrowing(query.sessions)
        if let token {
            let position = try position(token, in: query)
            query.start(after: position.id, finishedAt: position.finishedAt)
        }
        return query
    }

    private static func time(_ item: QueryItem, at now: Timestamp) throws(RequestRefusal) -> QueryTime {
        if let time = QueryTime(item.value, at: now) { return time }
        // In a query, + stands for a space.
        let meant = String(item.value.map { $0 == " " ? "+" : $0 })
        guard meant != item.value, QueryTime(meant, at: now) != nil else {
            throw .parameter(item.name, expected: QueryTime.expectation, found: item.value)
        }
        throw .parameter(
            item.name, "expected \(QueryTime.expectation), found \"\(item.value)\"; write + as %2B in a query")
    }

    private static func position(
        _ text: String, in query: TaskQuery
    ) throws(RequestRefusal) -> (id: TaskID, finishedAt: Timestamp?) {
        guard let token = PageToken(text) else {
            throw .parameter("page_token", expected: "the next_page_token of an earlier response", found: text)
        }
        guard let last = token.position(in: query) else {
            throw .parameter("page_token", "the token belongs to a list with other filters or another order")
        }
        return (last, token.finishedAt)
    }

    private static func oneOf<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type) -> String {
        type.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
