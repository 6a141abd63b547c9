import ErrandHTTPGrammar
import ErrandHTTPServer
import ErrandJSON
import ErrandSettings
import ErrandText
import HTTPTypes

/// The time that a client waits for a task before the response: `?wait=30s`, or `Prefer: wait=30` (RFC 7240 §4.3).
struct WaitPreference: Sendable, Hashable {
    /// The waiting time, at most the gateway's limit.
    var duration: Duration
    /// True if the time came from `Prefer`, so that the response has `Preference-Applied`.
    var isPreference: Bool
    /// True if the client has asked for a longer time, so that the response has `Preference-Applied` too.
    var isReduced = false

    /// Reads the waiting time of a request; the query takes precedence over the header.
    ///
    /// - Parameter limit: The maximum; longer times are reduced to it.
    /// - Returns: `nil` without one. A malformed or unknown `Prefer` is ignored (RFC 7240 §2).
    /// - Throws: The fault of the query parameter.
    static func read(_ head: RequestHead, limit: Duration) throws(RequestRefusal) -> WaitPreference? {
        if let item = head.target.queryItems.first(where: { $0.name == "wait" }) {
            guard let duration = DurationText.parse(item.value) else {
                throw .parameter("wait", expected: "a duration such as 30s", found: item.value)
            }
            return WaitPreference(duration, isPreference: false, limit: limit)
        }
        for field in head.headers[values: .prefer] {
            for preference in field.split(separator: ",") {
                let parts = preference.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, parts[0].trimmingOptionalWhitespace().lowercased() == "wait" else { continue }
                let seconds = parts[1].trimmingOptionalWhitespace().unquoted
                guard !seconds.isEmpty, seconds.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
                // A number that is too large for the type is above every limit.
                return WaitPreference(.seconds(Int64(seconds) ?? .max), isPreference: true, limit: limit)
            }
        }
        return nil
    }

    /// Returns the response with `Preference-Applied` (RFC 7240 §3) if the time depends on `Prefer` or was reduced.
    func applied(to response: ServerResponse) -> ServerResponse {
        guard isPreference || isReduced else { return response }
        var response = response
        response.headers[.preferenceApplied] = "wait=\(duration.components.seconds)"
        return response
    }
}

extension WaitPreference {
    /// Creates the preference of a client who asked for a time, which is reduced to the limit.
    fileprivate init(_ asked: Duration, isPreference: Bool, limit: Duration) {
        self.init(duration: min(asked, limit), isPreference: isPreference, isReduced: asked > limit)
    }
}

extension Substring {
    fileprivate var unquoted: Substring {
        count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}
