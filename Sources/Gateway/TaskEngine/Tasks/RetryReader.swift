import ErrandConfiguration
import ErrandJSON
import ErrandSessionCore
import ErrandSessionSettings
import HTTPTypes

/// Reads the `retry` member of a task: its differences from the session's retry configuration.
enum RetryReader {
    /// The members of the session's configuration that a task cannot change.
    private static let refused = ["budget": "the budget belongs to the session and is shared by its tasks"]

    /// Reads the member from a task; without the member, nothing is overridden.
    ///
    /// - Parameter session: The session's configuration, with which the member is checked together. Default: `nil`, the
    ///   task was checked when it was accepted.
    static func read(_ task: inout JSONObjectReader, over session: RetryConfiguration? = nil) -> RetryOverrides {
        var overrides = RetryOverrides()
        guard var retry = task.object("retry") else { return overrides }
        overrides.maxAttempts = retry.integer("max_attempts", in: RetryConfiguration.maxAttemptsRange)
        if let backoff = retry.object("backoff") { overrides.backoff = read(backoff, over: session?.backoff) }
        overrides.maxElapsed = retry.duration("max_elapsed", in: RetryConfiguration.maxElapsedRange)
        overrides.methods = retry.list(
            "methods", expecting: "a method such as \"GET\", other than CONNECT", method)
        overrides.statuses = retry.list(
            "statuses", expecting: "a status such as 503, a class such as \"5xx\" or a range such as \"500-504\"",
            statuses
        ).map { StatusSet($0) }
        overrides.respectsRetryAfter = retry.boolean("respect_retry_after")
        overrides.afterCrash = retry.choice("after_crash", RetryConfiguration.AfterCrash.self)
        retry.finish(refusing: refused)
        return overrides
    }

    private static func read(
        _ object: JSONObjectReader, over session: RetryConfiguration.Backoff?
    ) -> RetryOverrides.Backoff {
        var object = object
        var backoff = RetryOverrides.Backoff()
        backoff.initial = object.duration("initial", in: RetryConfiguration.Backoff.initialRange)
        backoff.multiplier = object.number("multiplier", in: RetryConfiguration.Backoff.multiplierRange)
        backoff.max = object.duration("max", in: RetryConfiguration.Backoff.maxRange)
        backoff.jitter = object.number("jitter", in: RetryConfiguration.Backoff.jitterRange)
        object.finish()
        if let session { check(backoff, of: object, over: session) }
        return backoff
    }

    /// Reports a first pause above the longest one.
    private static func check(
        _ backoff: RetryOverrides.Backoff, of object: JSONObjectReader, over session: RetryConfiguration.Backoff
    ) {
        // A member that could not be read has a fault already.
        guard object.says("initial") == (backoff.initial != nil), object.says("max") == (backoff.max != nil) else {
            return
        }
        let applied = RetryConfiguration.Backoff(
            initial: backoff.initial ?? session.initial, max: backoff.max ?? session.max)
        guard applied.initial > applied.max else { return }
        if backoff.initial != nil {
            object.report("initial", applied.initialExcess)
        } else if backoff.max != nil {
            object.report("max", applied.maxDeficit)
        }
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
