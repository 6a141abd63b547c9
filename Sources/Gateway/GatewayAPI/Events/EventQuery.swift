import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import ErrandTaskEvents
import ErrandTaskStore
import ErrandTime
import HTTPTypes

/// The query of an event stream.
enum EventQuery {
    /// Reads the last event that a client received: `Last-Event-ID`, which an `EventSource` sends when it reconnects,
    /// or else `?last_event_id=`, for clients that cannot set header fields.
    ///
    /// - Returns: `nil` if it is missing or empty.
    static func lastEventID(of head: RequestHead) throws(RequestRefusal) -> LastEventID? {
        let field = head.headers[values: .lastEventID].filter { !$0.isEmpty }
        if !field.isEmpty {
            let text = field.joined(separator: ", ")
            guard let id = LastEventID(text) else {
                throw .field(.lastEventID, "expected \(expectation), found \"\(text.shortened(toBytes: 64))\"")
            }
            return id
        }
        for item in head.target.queryItems where item.name == parameter && !item.value.isEmpty {
            guard let id = LastEventID(item.value) else {
                throw .parameter(parameter, expected: expectation, found: item.value)
            }
            return id
        }
        return nil
    }

    /// The query parameter that replaces `Last-Event-ID`.
    static let parameter = "last_event_id"

    private static let expectation = "the id of an event, which is a number"

    /// Reads the filters of the task list, except its paging parameters and the filters that events cannot be tested
    /// for.
    ///
    /// - Parameter now: The present, for relative times.
    static func filters(
        of head: RequestHead, for caller: Caller, at now: Timestamp
    ) throws(RequestRefusal) -> TaskQuery {
        var items = head.target.queryItems
        items.removeAll { $0.name == parameter }
        if let item = items.first(where: { TaskListQuery.listOnly.contains($0.name) }) {
            throw .parameter(item.name, "only the task list has this filter; remove this parameter")
        }
        return try TaskListQuery.filters(
            items, for: caller, at: now, besides: [parameter], without: TaskListQuery.listOnly)
    }
}
