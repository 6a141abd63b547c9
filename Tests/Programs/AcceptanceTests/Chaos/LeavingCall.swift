/// A request of a client that disconnects during it, with effects that no other client relies on.
struct LeavingCall: Sendable {
    /// The method.
    let method: String
    /// The pattern of the path, as routes of the API have it.
    let pattern: String
    /// The query, with its question mark.
    var query = ""
    /// The content; `nil` for none.
    var json: String?
    /// The content's type.
    var contentType = "application/json"
    /// The task that the request is about, created before it.
    var task: Task?

    /// A state of a task that was just created.
    enum Task {
        case ended, running, suspended, awaitingContent

        /// The request that creates the task.
        var creation: String {
            let document =
                switch self {
                case .ended, .running: #""path":"ok/left""#
                case .suspended: #""path":"ok/left","start":"suspended""#
                case .awaitingContent: #""kind":"upload","method":"PUT","path":"ok/left","body":{"content":"later"}"#
                }
            let call = LeavingCall(
                "POST", "/v1/tasks", self == .ended ? "?wait=500ms" : "",
                #"{"session":"\#(LeavingClient.session)",\#(document)}"#)
            return call.request(task: "")
        }
    }

    private init(
        _ method: String, _ pattern: String, _ query: String = "", _ json: String? = nil,
        of contentType: String = "application/json", on task: Task? = nil
    ) {
        self.method = method
        self.pattern = pattern
        self.query = query
        self.json = json
        self.contentType = contentType
        self.task = task
    }

    /// Returns the bytes of the request.
    func request(task id: String) -> String {
        let path = pattern.replacing("{id}", with: id).replacing("{name}", with: LeavingClient.session)
        let content = json.map { "Content-Type: \(contentType)\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)" }
        return "\(method) \(path)\(query) HTTP/1.1\r\nHost: localhost\r\n" + (content ?? "Content-Length: 0\r\n\r\n")
    }

    /// At least one request for each route.
    static let all = operations + tasks + oneTask + schedules + sessions

    private static let operations = [
        LeavingCall("GET", "/"), LeavingCall("GET", "/healthz"), LeavingCall("GET", "/readyz"),
        LeavingCall("GET", "/metrics"), LeavingCall("GET", "/version"), LeavingCall("GET", "/problems"),
        LeavingCall("GET", "/problems/{name}"), LeavingCall("GET", "/openapi.json"),
        LeavingCall("GET", "/openapi.yaml"), LeavingCall("POST", "/v1/config:reload"),
        LeavingCall("GET", "/v1/events"),
    ]

    private static let none = #"{"labels":{"none":"none"}}"#

    private static let tasks = [
        LeavingCall("GET", "/v1/tasks", "?page_size=1000"),
        LeavingCall("GET", "/v1/tasks", "?label.none=none&page_size=1000"),
        LeavingCall("GET", "/v1/tasks/counts"),
        LeavingCall("POST", "/v1/tasks", "", #"{"session":"left","path":"ok/left"}"#),
        // Without retries, since no client cancels it: retries would keep a connection of the session for minutes.
        LeavingCall(
            "POST", "/v1/tasks", "?wait=20s", #"{"session":"left","path":"stuck/left","retry":{"max_attempts":1}}"#),
        LeavingCall(
            "POST", "/v1/tasks:batch", "",
            #"{"tasks":[{"session":"left","path":"ok/left"},{"session":"left","path":"ok/l"}]}"#),
        LeavingCall("POST", "/v1/tasks:cancel", "", none), LeavingCall("POST", "/v1/tasks:suspend", "", none),
        LeavingCall("POST", "/v1/tasks:resume", "", none), LeavingCall("POST", "/v1/tasks:run-now", "", none),
        LeavingCall("POST", "/v1/tasks:retry", "", none), LeavingCall("POST", "/v1/tasks:delete", "", none),
    ]

    private static let oneTask = [
        LeavingCall("GET", "/v1/tasks/{id}", on: .ended),
        LeavingCall("GET", "/v1/tasks/{id}", "?wait=20s", on: .suspended),
        LeavingCall("GET", "/v1/tasks/{id}/body", on: .ended),
        LeavingCall("GET", "/v1/tasks/{id}/body", "?follow=true", on: .running),
        LeavingCall("GET", "/v1/tasks/{id}/events", on: .running),
        LeavingCall(
            "PUT", "/v1/tasks/{id}/content", "", String(repeating: "content ", count: 10_000),
            of: "application/octet-stream", on: .awaitingContent),
        LeavingCall("POST", "/v1/tasks/{id}/cancel", on: .suspended),
        LeavingCall("POST", "/v1/tasks/{id}/cancel", on: .running),
        LeavingCall("POST", "/v1/tasks/{id}/suspend", on: .running),
        LeavingCall("POST", "/v1/tasks/{id}/resume", on: .suspended),
        LeavingCall("POST", "/v1/tasks/{id}/run-now", on: .suspended),
        LeavingCall("POST", "/v1/tasks/{id}/retry", on: .ended),
        LeavingCall(
            "PATCH", "/v1/tasks/{id}", "", #"{"priority":7}"#, of: "application/merge-patch+json", on: .suspended),
        LeavingCall("DELETE", "/v1/tasks/{id}", on: .ended), LeavingCall("DELETE", "/v1/tasks/{id}", on: .running),
    ]

    private static let schedule = #""cron":"0 0 1 1 *","task":{"session":"left","path":"ok/left"}"#

    private static let schedules = [
        LeavingCall("GET", "/v1/schedules"),
        LeavingCall("POST", "/v1/schedules", "", #"{"name":"left",\#(schedule)}"#),
        LeavingCall("GET", "/v1/schedules/{name}"), LeavingCall("PUT", "/v1/schedules/{name}", "", "{\(schedule)}"),
        LeavingCall("POST", "/v1/schedules/{name}/suspend"), LeavingCall("POST", "/v1/schedules/{name}/resume"),
        LeavingCall("POST", "/v1/schedules/{name}/run"), LeavingCall("DELETE", "/v1/schedules/{name}"),
    ]

    private static let sessions = [
        LeavingCall("GET", "/v1/sessions"), LeavingCall("GET", "/v1/sessions/{name}"),
        LeavingCall("POST", "/v1/sessions/{name}/suspend"), LeavingCall("POST", "/v1/sessions/{name}/resume"),
        LeavingCall("POST", "/v1/sessions/{name}/purge"),
        // Without the reset, the session would accept no more tasks.
        LeavingCall("POST", "/v1/sessions/{name}/invalidate", "", #"{"reset":true}"#),
        LeavingCall("POST", "/v1/sessions/{name}/invalidate", "", #"{"reset":true,"cancel_pending":true}"#),
    ]
}
