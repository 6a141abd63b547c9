import ErrandConfiguration
import ErrandHTTPServer
import ErrandJSON
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes

/// `POST /v1/tasks:cancel`, `:suspend`, `:resume`, `:run-now`, `:retry`, `:delete`: apply the action to each task
/// matching a filter.
struct BulkEndpoints: Sendable {
    let services: TaskServices
    let limits: RequestLimits

    var routes: [APIRoute] {
        BulkWork.Action.allCases.map { action in
            APIRoute(.post, "/v1/tasks:\(action.rawValue)", needs: .tasksWrite, parameters: .judgedByEndpoint) {
                request throws(RequestRefusal) in try admit(request, action)
            }
        }
    }

    private func admit(_ request: APIRequest, _ action: BulkWork.Action) throws(RequestRefusal) -> RequestDisposition {
        if let item = request.head.target.queryItems.first {
            let remedy =
                TaskListQuery.isFilter(item.name) ? "write it into the content, as in" : "its content selects, as in"
            throw .parameter(
                item.name.shortened(toBytes: 100),
                "this endpoint has no such parameter; \(remedy) {\"state\": \"failed\"}")
        }
        let key = try IdempotencyKey.read(request.head)
        return ActionOptions.admit(
            request.head, maxDepth: limits.maxDepth, limitBytes: ActionOptions.listLimitBytes, isOptional: false
        ) { options -> BulkWork.Call? in
            let again = action == .retry && options.flag("again")
            let limit = options.integer("limit", in: BulkWork.limits)
            let isDryRun = options.flag("dry_run")
            return BulkFilter.read(&options, at: services.now).map { filter in
                BulkWork.Call(action, on: filter, again: again, limit: limit, isDryRun: isDryRun)
            }
        } perform: { call in
            // Not reached: reading has reported the missing filter.
            guard let call else { return request.head.response(.invalidOptions, "the options select no tasks") }
            let outcome = await services.service(for: request.caller).perform(call, key: key)
            request.notes?.note(Self.details(of: call, outcome))
            return response(to: request.head, outcome, isDryRun: call.isDryRun)
        }
    }

    /// Returns the selection of a call, and the numbers of its tasks, for the audit log.
    private static func details(of call: BulkWork.Call, _ outcome: BulkRequests.Outcome) -> [AuditNotes.Detail] {
        var details: [AuditNotes.Detail] = []
        func add(_ key: String, _ value: AuditNotes.Detail.Value?) {
            if let value { details.append(AuditNotes.Detail(key, value)) }
        }
        let summary = call.summary
        if let ids = summary.ids {
            add("ids", .number(ids.count))
            details += AuditNotes.Detail.ends(of: ids)
        } else {
            add("filters", .texts(summary.filters))
        }
        add("sessions", summary.sessions.isEmpty ? nil : .texts(summary.sessions))
        add("states", summary.states.isEmpty ? nil : .texts(summary.states))
        add("schedule", summary.schedule.map { .text($0) })
        add("limit", summary.limit.map { .number($0) })
        if call.isDryRun { add("dry_run", .flag(true)) }
        guard case .done(let outcome, let isReplayed) = outcome else { return details }
        add("matched", .number(outcome.matched))
        add("changed", .number(outcome.changed))
        if call.isDryRun { add("would_change", .number(outcome.wouldChange)) }
        if isReplayed { add("replayed", .flag(true)) }
        return details
    }

    private func response(
        to head: RequestHead, _ outcome: BulkRequests.Outcome, isDryRun: Bool
    ) -> ServerResponse {
        switch outcome {
        case .keyReused:
            return head.response(.idempotencyKeyReused, "the key was used with a different request")
        case .done(let outcome, let isReplayed):
            var response = response(to: head, outcome, isDryRun: isDryRun)
            if isReplayed { response.headers[.idempotentReplayed] = "true" }
            return response
        }
    }

    private func response(
        to head: RequestHead, _ outcome: BulkWork.Outcome, isDryRun: Bool
    ) -> ServerResponse {
        if let error = outcome.error { return response(to: head, error, after: outcome) }
        if let refusal = outcome.refusal {
            var problem = refusal.problem
            if case .stopping = refusal { problem.detail = "the gateway is stopping and accepts no more tasks" }
            problem.detail = (problem.detail ?? "") + "; repeat the call for the tasks that are not changed"
            problem.members += Self.counts(outcome)
            return head.response(problem, headers: refusal.retryAfterHeader)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("matched", outcome.matched)
        writer.member("changed", outcome.changed)
        if isDryRun {
            writer.member("would_change", outcome.wouldChange)
            writer.member("dry_run", true)
        }
        writer.endObject()
        return ServerResponse(json: writer.bytes)
    }

    /// Returns the response to a call that an error of the store has ended early.
    private func response(
        to head: RequestHead, _ error: TaskStoreError, after outcome: BulkWork.Outcome
    ) -> ServerResponse {
        let detail = "\(error.message); matched and changed count the tasks before the failure"
        if error == .callerIsGone {
            return head.response(
                .unauthorized, detail, members: Self.counts(outcome),
                headers: [.wwwAuthenticate: AccessRefusal.challenge("invalid_token")])
        }
        return switch error.code {
        case .tooManyReads: head.response(.storeBusy, error.message, headers: [.retryAfter: "1"])
        case .unsearchable: head.response(.invalidOptions, error.message)
        case .timedOut: head.response(.listTimeout, detail, members: Self.counts(outcome))
        default:
            head.response(
                .storeUnavailable, detail, members: Self.counts(outcome), headers: [.retryAfter: "1"])
        }
    }

    private static func counts(_ outcome: BulkWork.Outcome) -> [ProblemDetails.Member] {
        [
            ProblemDetails.Member("matched", .integer(outcome.matched)),
            ProblemDetails.Member("changed", .integer(outcome.changed)),
        ]
    }
}
