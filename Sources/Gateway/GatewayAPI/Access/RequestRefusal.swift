import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

/// The reason to refuse a request, found in its head.
///
/// Handlers of routes throw it, and ``AccessControl`` turns it into the response.
struct RequestRefusal: Error, Sendable, Hashable {
    /// The type of the problem.
    let type: ProblemType
    /// The expected and the found value, and the remedy.
    let detail: String
    /// Additional fields of the response.
    let headers: HTTPFields

    /// Creates a refusal.
    init(_ type: ProblemType, _ detail: String, headers: HTTPFields = [:]) {
        self.type = type
        self.detail = detail
        self.headers = headers
    }

    /// Returns the refusal as a response.
    func response(to head: RequestHead) -> ServerResponse {
        head.response(type, detail, headers: headers)
    }

    // MARK: Reasons

    /// No task with the id in the path is visible to the caller.
    static let noSuchTask = RequestRefusal(
        .noSuchTask, "no task has this id, it was deleted, its retention has passed, or the token has no access to it")

    /// No schedule with the name in the path is visible to the caller.
    static let noSuchSchedule = RequestRefusal(
        .noSuchSchedule, "no schedule has this name that the token may use; GET /v1/schedules lists them")

    /// A header field has an invalid value.
    static func field(_ name: HTTPField.Name, _ detail: String) -> RequestRefusal {
        RequestRefusal(.badHeader, "\(name): \(detail)")
    }

    /// A query parameter has an invalid value.
    static func parameter(_ name: String, _ detail: String) -> RequestRefusal {
        RequestRefusal(.badParameter, "\(name): \(detail)")
    }

    /// A query parameter has another value than expected.
    static func parameter(_ name: String, expected: String, found value: String) -> RequestRefusal {
        .parameter(name, "expected \(expected), found \"\(value.shortened(toBytes: 64))\"")
    }

    /// The endpoint has no such query parameter.
    ///
    /// The detail suggests one for a misspelled name.
    ///
    /// - Parameters:
    ///   - known: The names of its parameters.
    ///   - endpoint: The endpoint, as in `this endpoint has no such parameter`.
    static func unknownParameter(_ name: String, among known: [String], of endpoint: String) -> RequestRefusal {
        let similar = otherNames[name].flatMap { known.contains($0) ? $0 : nil }
        let meant = (similar ?? closestMatch(to: name, among: known)).map { "; did you mean \"\($0)\"?" }
        let expected = known.isEmpty ? "" : "; expected one of \(known.joined(separator: ", "))"
        return .parameter(name.shortened(toBytes: 100), "\(endpoint) has no such parameter\(meant ?? expected)")
    }

    /// The names of parameters that other interfaces have, with those of this one.
    private static let otherNames = [
        "limit": "page_size", "per_page": "page_size", "size": "page_size", "page": "page_token",
        "cursor": "page_token", "offset": "page_token", "label": "label.KEY", "labels": "label.KEY",
        "since": "created_after", "until": "created_before", "order": "sort", "order_by": "sort", "timeout": "wait",
    ]
}
