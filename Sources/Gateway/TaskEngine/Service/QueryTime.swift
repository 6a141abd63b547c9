import ErrandSettings
package import ErrandTaskStore
package import ErrandTime

/// A time in a filter, as a client writes it.
///
/// | text | time |
/// | --- | --- |
/// | `2026-11-21T12:00:00Z` | the time of RFC 3339 |
/// | `2026-11-21` | the beginning of the day in UTC |
/// | `-24h` | a duration before the present |
package struct QueryTime: Sendable, Hashable {
    /// The time.
    package let moment: Timestamp
    /// The text, if it is relative to the present.
    package let relativeText: String?

    /// The texts that are expected, for messages.
    package static let expectation = "a time such as 2026-11-21T12:00:00Z, 2026-11-21 or -24h"

    /// Reads a time.
    ///
    /// - Returns: `nil` if the text has none of the forms.
    package init?(_ text: String, at now: Timestamp) {
        if text.utf8.first == UInt8(ascii: "-") {
            guard let duration = DurationText.parse(String(text.dropFirst())) else { return nil }
            moment = now.adding(Duration.zero - duration)
            relativeText = text
        } else {
            guard let moment = Timestamp(text.utf8.count == 10 ? text + "T00:00:00Z" : text) else { return nil }
            self.moment = moment
            relativeText = nil
        }
    }
}

extension TaskQuery {
    /// Sets a filter with a time.
    package mutating func set(_ filter: TimeFilter, to time: QueryTime) {
        self[filter] = time.moment
        relativeTimes[filter] = time.relativeText
    }
}
