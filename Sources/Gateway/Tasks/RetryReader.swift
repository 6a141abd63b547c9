import Configuration
import HTTPTypes
import JSON
import SessionCore

/// Reads the `retry` member of a task: what it wants otherwise than its session.
enum RetryReader {
    /// The session's own, which one task cannot change.
    private static let refused = ["budget": "the budget is the session's, for all its tasks together"]

    /// Takes the member out of a task; nothing is overridden where there is none.
    static func read(_ task: inout JSONObjectReader) -> RetryOverrides {
        var overrides = RetryOverrides()
        guard var retry = task.object("retry") else { return overrides }
        overrides.maxAttempts = retry.integer("max_attempts", in: RetryConfiguration.maxAttemptsRange)
        if let backoff = retry.object("backoff") { overrides.backoff = read(backoff) }
        overrides.maxElapsed = retry.duration("max_elapsed", in: RetryConfiguration.maxElapsedRange)
        overrides.methods = retry.list(
            "methods", expecting: "a method such as \"GET\", other than CONNECT", method)
        overrides.statuses = retry.list(
            "statuses", expecting: "a status such as 503 or a range such as \"500-599\"", statuses
        ).map { StatusSet($0) }
        overrides.respectsRetryAfter = retry.boolean("respect_retry_after")
        overrides.afterCrash = retry.choice("after_crash", RetryConfiguration.AfterCrash.self)
        retry.finish(refusing: refused)
        return overrides
    }

    private static func read(_ object: JSONObjectReader) -> RetryOverrides.Backoff {
        var object = object
        var backoff = RetryOverrides.Backoff()
        backoff.initial = object.duration("initial", in: RetryConfiguration.Backoff.initialRange)
        backoff.multiplier = object.number("multiplier", in: RetryConfiguration.Backoff.multiplierRange)
        backoff.max = object.duration("max", in: RetryConfiguration.Backoff.maxRange)
        backoff.jitter = object.number("jitter", in: RetryConfiguration.Backoff.jitterRange)
        object.finish()
        return backoff
    }

    private static func method(_ value: JSONValue) -> HTTPRequest.Method? {
        guard let method = value.string.flatMap({ HTTPRequest.Method($0.uppercased()) }) else { return nil }
        return method == .connect ? nil : method
    }

    private static func statuses(_ value: JSONValue) -> ClosedRange<Int>? {
        switch value.kind {
        case .number(let number): StatusText.parse(number.lexeme)
        case .string(let text): StatusText.parse(text)
        default: nil
        }
    }
}
