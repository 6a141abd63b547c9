import HTTPServer
import HTTPTypes
import TaskEvents
import TaskStore

/// Reads what a client wants to be told of.
enum EventQuery {
    /// Reads the event after which a client wants to go on: `Last-Event-ID`, which an `EventSource` sends when it comes
    /// back, or else `?last_event_id=`, for clients that cannot set a field.
    ///
    /// - Returns: `nil` when there is none, or an empty one.
    static func lastEventID(of head: RequestHead) throws(QueryProblem) -> LastEventID? {
        let field = head.headers[values: .lastEventID].filter { !$0.isEmpty }
        if !field.isEmpty { return try lastEventID(field.joined(separator: ", "), of: "Last-Event-ID") }
        for item in head.target.queryItems where item.name == parameter && !item.value.isEmpty {
            return try lastEventID(item.value, of: parameter)
        }
        return nil
    }

    private static let parameter = "last_event_id"

    private static func lastEventID(_ text: String, of name: String) throws(QueryProblem) -> LastEventID {
        guard let id = LastEventID(text) else {
            throw QueryProblem(name, "expected the id of an event, a number, found \"\(text)\"")
        }
        return id
    }

    /// Reads the filters of the list, without its pages.
    static func filters(of head: RequestHead, for caller: Caller) throws(QueryProblem) -> TaskQuery {
        var items = head.target.queryItems
        items.removeAll { $0.name == parameter }
        if let page = items.first(where: { $0.name == "page_size" || $0.name == "page_token" }) {
            throw QueryProblem(page.name, "is of the list; events come in no pages")
        }
        return try TaskListQuery.read(items, for: caller)
    }
}
