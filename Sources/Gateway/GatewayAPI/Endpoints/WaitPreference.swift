import ErrandConfiguration
import ErrandHTTPGrammar
import ErrandHTTPServer
import ErrandJSON
import HTTPTypes

/// The time that a client waits for a task before the response: `?wait=30s`, or `Prefer: wait=30` (RFC 7240 §4.3).
struct WaitPreference: Sendable, Hashable {
    /// The waiting time, at most the gateway's limit.
    var duration: Duration
    /// True if the time came from `Prefer`, so that the response has `Preference-Applied`.
    var isPreference: Bool

    /// Reads the waiting time of a request; the query takes precedence over the header.
    ///
    /// - Parameter limit: The maximum; longer times are reduced to it.
    /// - Returns: `nil` without one. A malformed or unknown `Prefer` is ignored (RFC 7240 §2).
    /// - Throws: The fault of the query parameter.
    static func read(_ head: RequestHead, limit: Duration) throws(QueryProblem) -> WaitPreference? {
        if let item = head.target.queryItems.first(where: { $0.name == "wait" }) {
            guard let duration = DurationText.parse(item.value) else {
                throw QueryProblem("wait", "expected a duration such as 30s, found \"\(item.value)\"")
            }
            return WaitPreference(duration: min(duration, limit), isPreference: false)
        }
        for field in head.headers[values: .prefer] {
            for preference in field.split(separator: ",") {
                let parts = preference.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingOptionalWhitespace().lowercased() == "wait" else { continue }
                guard let seconds = Int(parts[1].trimmingOptionalWhitespace().unquoted), (0...86_400).contains(seconds)
                else { return nil }
                return WaitPreference(duration: min(.seconds(seconds), limit), isPreference: true)
            }
        }
        return nil
    }

    /// Returns the response with the header fields that RFC 7240 §3 requires if it depends on `Prefer`.
    func applied(to response: ServerResponse) -> ServerResponse {
        guard isPreference else { return response }
        var response = response
        response.headers[.preferenceApplied] = "wait=\(duration.components.seconds)"
        return response
    }
}

/// An invalid query parameter.
struct QueryProblem: Error, Hashable {
    /// The name of the parameter.
    var parameter: String
    /// The fault of the parameter.
    var detail: String

    init(_ parameter: String, _ detail: String) {
        self.parameter = parameter
        self.detail = detail
    }

    /// Creates the problem of an unknown parameter, with a suggestion for a misspelled one.
    ///
    /// - Parameters:
    ///   - names: The known parameters.
    ///   - call: The endpoint, as in `this endpoint has no such parameter`.
    init(unknown parameter: String, among names: [String], of call: String) {
        let similar = Self.otherNames[parameter].flatMap { names.contains($0) ? $0 : nil }
        let meant = (similar ?? closestMatch(to: parameter, among: names)).map { "; did you mean \"\($0)\"?" }
        let known = names.isEmpty ? "" : "; expected one of \(names.joined(separator: ", "))"
        self.init(parameter.shortened(toBytes: 100), "\(call) has no such parameter\(meant ?? known)")
    }

    /// The names of parameters that other interfaces have, with those of this one.
    private static let otherNames = [
        "limit": "page_size", "per_page": "page_size", "size": "page_size", "page": "page_token",
        "cursor": "page_token", "offset": "page_token", "label": "label.KEY", "labels": "label.KEY",
        "since": "created_after", "until": "created_before", "order": "sort", "order_by": "sort", "timeout": "wait",
    ]

    /// Returns the problem as a response.
    func response(to head: RequestHead) -> ServerResponse {
        head.response(.badParameter, "\(parameter): \(detail)")
    }
}

extension Substring {
    fileprivate var unquoted: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}
