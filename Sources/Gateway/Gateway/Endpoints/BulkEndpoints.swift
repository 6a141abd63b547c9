import ErrandHTTPServer
import ErrandJSON
import ErrandTaskStore
import HTTPTypes

/// `POST /v1/tasks:cancel`, `:suspend`, `:resume`, `:run-now`, `:retry`, `:delete`: apply the action to each task
/// matching a filter.
struct BulkEndpoints: Sendable {
    let tasks: TaskEndpoints
    let answers: BulkAnswers

    var routes: [APIRoute] {
        BulkWork.Action.allCases.map { action in
            APIRoute(.post, "/v1/tasks:\(action.rawValue)", needs: .tasksWrite) { admit($0, action) }
        }
    }

    private func admit(_ request: APIRequest, _ action: BulkWork.Action) -> RequestDisposition {
        let key: IdempotencyKey?
        do throws(HeaderProblem) {
            key = try IdempotencyKey.read(request.head)
        } catch {
            return .immediate(error.response(to: request.head))
        }
        return ActionOptions.admit(request.head, limitBytes: ActionOptions.listLimitBytes) { options in
            let again = action == .retry && options.flag("again")
            return (BulkFilter.read(&options), again)
        } perform: { filter, again in
            // Not reached: reading has reported the missing filter.
            guard let filter else { return request.head.response(.invalidOptions, "the options select no tasks") }
            let call = BulkAnswers.Call(action: action, filter: filter, again: again)
            let work = BulkWork(tasks: tasks, caller: request.caller, action: action, again: again, key: key)
            return await response(to: request, call: call, key: key, work: work)
        }
    }

    private func response(
        to request: APIRequest, call: BulkAnswers.Call, key: IdempotencyKey?, work: BulkWork
    ) async -> ServerResponse {
        guard let key else {
            // In its own task, which is not cancelled with the request: the action also completes if the client
            // disconnects.
            return response(to: request.head, await Task { await work.run(on: call.filter) }.value)
        }
        let owned = IdempotencyKeysInUse.Owned(owner: request.caller.tokenName, key: key)
        switch await answers.answer(to: call, key: owned, { await work.run(on: call.filter) }) {
        case .keyReused:
            return request.head.response(.idempotencyKeyReused, "the key was used with a different request")
        case .outcome(let outcome, let isReplayed):
            var response = response(to: request.head, outcome)
            if isReplayed { response.headers[.idempotentReplayed] = "true" }
            return response
        }
    }

    private func response(to head: RequestHead, _ outcome: BulkWork.Outcome) -> ServerResponse {
        if let error = outcome.error {
            return head.response(
                .storeUnavailable, "\(error.message); matched and changed count the tasks before the failure",
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
