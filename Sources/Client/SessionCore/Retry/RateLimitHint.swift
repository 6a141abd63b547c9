import ErrandHTTPGrammar
import ErrandText
package import HTTPTypes

/// The wait that an upstream asks for in its response.
///
/// | field | read as |
/// | --- | --- |
/// | `Retry-After` | seconds, or a date in any of the three forms (RFC 9110 §10.2.3, §5.6.7) |
/// | `RateLimit` | items with `r=0` and `t`, the seconds until there is more (draft-ietf-httpapi-ratelimit-headers-09) |
/// | `RateLimit-Remaining: 0` with `RateLimit-Reset` | seconds (earlier drafts) |
/// | `X-RateLimit-Remaining: 0` with `X-RateLimit-Reset` | seconds; a large number is a time since 1970 (``duration(_:now:)``) |
///
/// Malformed fields are ignored.
package struct RateLimitHint: Sendable, Hashable {
    /// The wait of `Retry-After`; `nil` if there is none.
    package let retryAfter: Duration?
    /// The time until more requests are allowed; `nil` if some are allowed now, or if it is not stated.
    package let reset: Duration?

    /// The longer of both.
    package var pause: Duration? {
        guard let retryAfter, let reset else { return retryAfter ?? reset }
        return max(retryAfter, reset)
    }

    /// Parses the header fields of a response.
    ///
    /// - Parameters:
    ///   - headers: The header fields.
    ///   - now: The time of day, in seconds since 1970-01-01T00:00:00Z.
    package init(_ headers: HTTPFields, now: Int64) {
        var retryAfter: Duration?
        var reset: Duration?
        var remaining: [String: Substring] = [:]
        var resets: [String: Substring] = [:]
        for field in headers {
            let value = field.value[...].trimmingOptionalWhitespace()
            switch field.name.canonicalName {
            case "retry-after": retryAfter = longer(retryAfter, Self.pause(value, now: now))
            case "ratelimit": reset = longer(reset, Self.reset(inItems: value))
            case "ratelimit-remaining": remaining["standard"] = value
            case "ratelimit-reset": resets["standard"] = value
            case "x-ratelimit-remaining": remaining["x"] = value
            case "x-ratelimit-reset": resets["x"] = value
            default: continue
            }
        }
        for (family, value) in remaining where Self.number(value) == 0 {
            reset = longer(reset, resets[family].flatMap { Self.duration($0, now: now) })
        }
        self.retryAfter = retryAfter
        self.reset = reset
    }

    private static func pause(_ value: Substring, now: Int64) -> Duration? {
        if let seconds = number(value) { return .seconds(seconds) }
        return HTTPDate.seconds(in: value).map { .seconds(max($0 - now, 0)) }
    }

    /// Parses decimal digits, with a maximum of a century in seconds.
    private static func number(_ text: Substring) -> Int64? {
        digits(text).map { min($0, longest) }
    }

    private static func digits(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(text) ?? .max
    }

    /// The maximum, far beyond every meaningful pause and date.
    private static let longest: Int64 = 100 * 366 * 86_400

    /// Parses seconds from now or, from 10⁹, a time in seconds since 1970 or, from 10¹¹, in milliseconds.
    ///
    /// 10⁹ seconds from now are 31 years, 10¹¹ seconds since 1970 the year 5138, and 10¹¹ milliseconds the year 1973.
    private static func duration(_ text: Substring, now: Int64) -> Duration? {
        guard let number = digits(text) else { return nil }
        if number < 1_000_000_000 { return .seconds(number) }
        // The second after the time is the first in which it has certainly passed.
        let time = number < 100_000_000_000 ? number : number / 1000 + (number % 1000 > 0 ? 1 : 0)
        return .seconds(min(max(time - now, 0), longest))
    }

    /// Returns the longest time of the items without remaining requests, each with a policy's name and its parameters
    /// (RFC 9651 §3.1).
    private static func reset(inItems text: Substring) -> Duration? {
        var rest = text
        var reset: Duration?
        while let (name, parameters) = readItem(&rest) {
            guard !name.isEmpty else { return nil }
            if parameters["r"].flatMap({ number($0) }) == 0, let time = parameters["t"].flatMap({ number($0) }) {
                reset = longer(reset, .seconds(time))
            }
            rest = rest.trimmingOptionalWhitespace()
            if rest.isEmpty { return reset }
            guard rest.popFirst() == "," else { return nil }
            rest = rest.trimmingOptionalWhitespace()
        }
        return nil
    }

    private static func readItem(_ text: inout Substring) -> (name: String, parameters: [String: Substring])? {
        guard let name = ParameterValue.read(&text) else { return nil }
        var parameters: [String: Substring] = [:]
        while text.first == ";" {
            text = text.dropFirst().trimmingOptionalWhitespace()
            guard let key = ParameterValue.read(&text) else { return nil }
            guard text.first == "=" else { continue }
            text.removeFirst()
            guard let value = readValue(&text) else { return nil }
            parameters[key] = value[...]
        }
        return (name, parameters)
    }

    /// Parses a bare item; a byte sequence (`:…:`), such as a partition key, is skipped.
    private static func readValue(_ text: inout Substring) -> String? {
        guard text.first == ":" else { return ParameterValue.read(&text) }
        guard let end = text.dropFirst().firstIndex(of: ":") else { return nil }
        text = text[text.index(after: end)...]
        return ""
    }
}

private func longer(_ one: Duration?, _ other: Duration?) -> Duration? {
    guard let one, let other else { return one ?? other }
    return max(one, other)
}

extension RetryConfiguration {
    /// Returns the time for which the whole session pauses after an attempt, because the upstream asked for it.
    ///
    /// `Retry-After` of a 429 or 503 applies to all tasks of the session, and so does an exhausted rate limit, even
    /// after a success. The time is at most the longest back-off; `nil` if there is no wait, or if the response does
    /// not come from the session's own upstream.
    ///
    /// - Parameters:
    ///   - attempt: The ended attempt.
    ///   - now: The time of day, in seconds since 1970-01-01T00:00:00Z.
    public func quietTime(after attempt: EndedAttempt, now: Int64) -> Duration? {
        guard respectsRetryAfter, attempt.isOwnUpstream, let status = attempt.status else { return nil }
        let hint = RateLimitHint(attempt.headers, now: now)
        let isAboutSession = status == 429 || status == 503
        guard let pause = isAboutSession ? hint.pause : hint.reset, pause > .zero else { return nil }
        return min(pause, backoff.max)
    }
}
