/// Why a text is no cron expression.
package struct CronError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where the fault begins, in characters from 1.
    package let column: Int
    /// What is wrong, for people.
    package let reason: String

    /// `column 3: the hour is 0 to 23, found 24`.
    package var description: String { "column \(column): \(reason)" }
}
