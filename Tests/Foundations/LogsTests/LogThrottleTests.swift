import ErrandLogs
import Testing

@Suite("LogThrottle")
struct LogThrottleTests {
    /// Occurrences at a time, and the number that the line then reports.
    private typealias Step = (milliseconds: Int, times: Int, reported: Int?)

    private static func check(_ steps: [Step], sourceLocation: SourceLocation = #_sourceLocation) {
        let start = ContinuousClock.now
        var throttle = LogThrottle()
        for step in steps {
            let reported = throttle.occurred(step.times, at: start.advanced(by: .milliseconds(step.milliseconds)))
            #expect(
                reported == step.reported, "after \(step.milliseconds) milliseconds", sourceLocation: sourceLocation)
        }
    }

    @Test("The first occurrence is reported at once, and those of the next minute with the first one after it")
    func pauses() {
        Self.check([
            (1000, 1, 1), (1000, 1, nil), (60_999, 1, nil), (61_000, 1, 3), (61_001, 1, nil), (500_000, 1, 2),
        ])
    }

    @Test("Occurrences are reported after the minute without another one, and nothing is reported without any")
    func noOccurrence() {
        Self.check([
            (0, 0, nil), (1000, 2, 2), (2000, 5, nil), (60_999, 0, nil), (61_000, 0, 5), (200_000, 0, nil),
            (200_001, 1, 1),
        ])
    }
}
