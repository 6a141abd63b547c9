/// A fault of a cron expression.
package struct CronError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The start of the fault, in characters from 1.
    package let column: Int
    /// The explanation for people.
    package let reason: String

    /// The column and the reason: `column 3: the hour must be 0 to 23, found 24`.
    package var description: String { "column \(column): \(reason)" }
}
