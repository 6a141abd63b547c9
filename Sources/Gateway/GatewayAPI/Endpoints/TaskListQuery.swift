import ErrandHTTPServer
import ErrandTaskEngine
import ErrandTaskStore
import ErrandTime

/// The query parameters of the task list.
enum TaskListQuery {
    private static let names = [
        "state", "session", "kind", "parent", "created_after", "created_before", "page_size", "page_token",
    ]

    /// Reads the filters.
    ///
    /// Tasks of sessions that the caller must not see are never listed.
    ///
    /// - Throws: The first invalid value or unknown parameter.
    static func read(_ items: [QueryItem], for caller: Caller) throws(QueryProblem) -> TaskQuery {
        var query = TaskQuery()
        var token: String?
        for item in items {
            switch item.name {
            case "state":
                guard let state = TaskState(rawValue: item.value) else {
                    throw QueryProblem("state", "expected \(oneOf(TaskState.self)), found \"\(item.value)\"")
                }
                query.states.insert(state)
            case "session":
                query.sessions = (query.sessions ?? []).union([item.value])
            case "kind":
                guard let kind = TaskKind(rawValue: item.value) else {
                    throw QueryProblem("kind", "expected \(oneOf(TaskKind.self)), found \"\(item.value)\"")
                }
                query.kind = kind
            case "parent":
                guard let id = TaskID(item.value) else {
                    throw QueryProblem("parent", "expected the id of a task, found \"\(item.value)\"")
                }
                query.parent = id
            case "created_after": query.createdAfter = try time(item)
            case "created_before": query.createdBefore = try time(item)
            case "page_size":
                guard let size = Int(item.value), (1...1000).contains(size) else {
                    throw QueryProblem("page_size", "expected a number from 1 to 1000, found \"\(item.value)\"")
                }
                query.pageSize = size
            case "page_token": token = item.value
            case let name where name.hasPrefix("label."):
                query.labels[String(name.dropFirst("label.".count))] = item.value
            case let name:
                throw QueryProblem(unknown: name, among: names + ["label.KEY"], of: "the list")
            }
        }
        query.sessions = caller.narrowing(query.sessions)
        if let token { query.after = try position(token, in: query) }
        return query
    }

    private static func time(_ item: QueryItem) throws(QueryProblem) -> Timestamp {
        guard let time = Timestamp(item.value) else {
            throw QueryProblem(item.name, "expected a timestamp such as 2026-11-21T12:00:00Z, found \"\(item.value)\"")
        }
        return time
    }

    private static func position(_ text: String, in query: TaskQuery) throws(QueryProblem) -> TaskID {
        guard let token = PageToken(text) else {
            throw QueryProblem("page_token", "expected the next_page_token of an earlier response, found \"\(text)\"")
        }
        guard let last = token.position(in: query) else {
            throw QueryProblem("page_token", "the token belongs to a list with other filters")
        }
        return last
    }

    private static func oneOf<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type) -> String {
        type.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
