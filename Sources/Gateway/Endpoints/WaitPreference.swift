import Configuration
import HTTPGrammar
import HTTPServer
import HTTPTypes

/// How long a client wants to wait for a task before it is answered: `?wait=30s`, or `Prefer: wait=30` (RFC 7240 §4.3).
struct WaitPreference: Sendable, Hashable {
    /// What is waited for: at most the gateway's limit.
    var duration: Duration
    /// It came as `Prefer`, so that the answer says `Preference-Applied`.
    var isPreference: Bool

    /// Reads the wish out of a request; the query wins over the header.
    ///
    /// - Parameter limit: The longest wait; longer ones are cut.
    /// - Returns: `nil` when there is none. A malformed or unknown `Prefer` is ignored, as RFC 7240 §2 wants.
    /// - Throws: What is wrong with the query parameter.
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

    /// The answer with what RFC 7240 §3 wants of one that depends on `Prefer`.
    func applied(to response: ServerResponse) -> ServerResponse {
        guard isPreference else { return response }
        var response = response
        response.headers[.preferenceApplied] = "wait=\(duration.components.seconds)"
        return response
    }
}

/// A query parameter that cannot be.
struct QueryProblem: Error, Hashable {
    /// The name of the parameter.
    var parameter: String
    /// What is wrong with it.
    var detail: String

    init(_ parameter: String, _ detail: String) {
        self.parameter = parameter
        self.detail = detail
    }

    /// The problem as the answer.
    func answer(to head: RequestHead) -> ServerResponse {
        head.answer(.badParameter, "\(parameter): \(detail)")
    }
}

extension Substring {
    fileprivate var unquoted: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}
