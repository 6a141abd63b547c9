import HTTPGrammar
package import HTTPTypes

/// For how long an upstream wants to be left alone, as its response says.
///
/// | field | read as |
/// | --- | --- |
/// | `Retry-After` | seconds, or a date in any of the three forms (RFC 9110 §10.2.3, §5.6.7) |
/// | `RateLimit` | items with `r=0` and `t`, the seconds until there is more (draft-ietf-httpapi-ratelimit-headers-09) |
/// | `RateLimit-Remaining: 0` with `RateLimit-Reset` | seconds (earlier drafts) |
/// | `X-RateLimit-Remaining: 0` with `X-RateLimit-Reset` | seconds, or seconds since 1970 where they are so many |
///
/// What is malformed says nothing.
package struct UpstreamWish: Sendable, Hashable {
    /// What `Retry-After` asks for; `nil` when it asks for nothing.
    package let retryAfter: Duration?
    /// How long until more requests are allowed; `nil` when some are allowed now, or nothing is said of it.
    package let reset: Duration?

    /// The longer of both.
    package var pause: Duration? {
        guard let retryAfter, let reset else { return retryAfter ?? reset }
        return max(retryAfter, reset)
    }

    /// Reads the header fields of a response.
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
            reset = longer(reset, resets[family].flatMap { Self.number($0) }.map { Self.duration($0, now: now) })
        }
        self.retryAfter = retryAfter
        self.reset = reset
    }

    private static func pause(_ value: Substring, now: Int64) -> Duration? {
        if let seconds = number(value) { return .seconds(seconds) }
        return HTTPDate.seconds(in: value).map { .seconds(max($0 - now, 0)) }
    }

    /// Digits alone; more than a century's seconds are as good as a century.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return min(Int64(text) ?? .max, longest)
    }

    /// Far beyond every pause and every date that means something.
    private static let longest: Int64 = 100 * 366 * 86_400

    /// Seconds from now, or a moment in seconds since 1970 where there are so many that nothing else makes sense.
    private static func duration(_ seconds: Int64, now: Int64) -> Duration {
        .seconds(seconds < 1_000_000_000 ? seconds : max(seconds - now, 0))
    }

    /// The longest time of the items, each a policy's name and its parameters (RFC 9651 §3.1), that have nothing left.
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

    /// A bare item; a byte sequence (`:…:`), as a partition key is one, is read over.
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
    /// For how long the whole session leaves its upstream alone after an attempt, because that has asked for it.
    ///
    /// `Retry-After` of a 429 or 503 counts for all tasks of the session, and so does a rate limit that is used up, also
    /// after a success. No longer than the back-off may become; `nil` when nothing is to be waited for, and when the
    /// answer does not come from the session's own upstream.
    ///
    /// - Parameters:
    ///   - attempt: What it has come to.
    ///   - now: The time of day, in seconds since 1970-01-01T00:00:00Z.
    public func quietTime(after attempt: EndedAttempt, now: Int64) -> Duration? {
        guard respectsRetryAfter, attempt.isOwnUpstream, let status = attempt.status else { return nil }
        let wish = UpstreamWish(attempt.headers, now: now)
        let isAboutSession = status == 429 || status == 503
        guard let pause = isAboutSession ? wish.pause : wish.reset, pause > .zero else { return nil }
        return min(pause, backoff.max)
    }
}
