import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import ErrandTaskStore

/// `GET /v1/tasks/counts`: the number of tasks by state, with the filters of the list.
extension TaskEndpoints {
    func count(_ request: APIRequest) throws(RequestRefusal) -> RequestDisposition {
        let head = request.head
        let query = try TaskListQuery.filters(head.target.queryItems, for: request.caller, at: services.now)
        return .deferred {
            await head.response(logger) { () async throws(TaskStoreError) in
                let counts = try await services.service(for: request.caller).counts(query)
                return ServerResponse(json: Self.document(of: counts))
            }
        }
    }

    private static func document(of counts: [TaskState: Int]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("total", counts.values.reduce(0, +))
        writer.member("by_state")
        writer.counts(counts)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    /// Writes numbers of tasks as an object, in the order of the states' declaration.
    mutating func counts(_ counts: [TaskState: Int]) {
        beginObject()
        for state in TaskState.allCases {
            guard let count = counts[state] else { continue }
            member(state.rawValue)
            int(count)
        }
        endObject()
    }
}
