import HTTPServer
import HTTPTypes
import JSON
import TaskStore

/// `POST /v1/tasks:cancel`, `:suspend`, `:resume`, `:retry`, `:delete`: the same for every task that a filter matches.
struct BulkEndpoints: Sendable {
    let tasks: TaskEndpoints

    var routes: [APIRoute] {
        BulkWork.Action.allCases.map { action in
            APIRoute(.post, "/v1/tasks:\(action.rawValue)", needs: .tasksWrite) { admit($0, action) }
        }
    }

    private func admit(_ request: APIRequest, _ action: BulkWork.Action) -> HTTPServer.Admission {
        ActionOptions.admit(request.head, limitBytes: ActionOptions.listLimitBytes) { options in
            BulkFilter.read(&options)
        } perform: { filter in
            // Reading has reported why there is none, and this is not reached.
            guard let filter else { return request.head.answer(.invalidOptions) }
            let work = BulkWork(tasks: tasks, caller: request.caller, action: action)
            // Not cancelled with the request: what was begun is done, also when the client has left meanwhile.
            let outcome = await Task { await work.run(on: filter) }.value
            return answer(to: request.head, outcome)
        }
    }

    private func answer(to head: RequestHead, _ outcome: BulkWork.Outcome) -> ServerResponse {
        if let error = outcome.error {
            return head.answer(
                .storeUnavailable, "\(error.message); what was matched and changed before is told",
                members: [
                    ProblemDetails.Member("matched", .integer(outcome.matched)),
                    ProblemDetails.Member("changed", .integer(outcome.changed)),
                ], headers: [.retryAfter: "1"])
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("matched")
        writer.int(outcome.matched)
        writer.member("changed")
        writer.int(outcome.changed)
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }
}
