import ErrandTime
import Testing

@Suite("Duration in units")
struct DurationUnitsTests {
    @Test("Fractions are rounded towards zero")
    func truncated() {
        let duration = Duration.nanoseconds(1_999_999_999)
        #expect(duration.wholeMilliseconds == 1999)
        #expect(duration.wholeMicroseconds == 1_999_999)
        #expect(duration.wholeNanoseconds == 1_999_999_999)
        #expect((.zero - duration).wholeMilliseconds == -1999)
    }

    @Test("Fractions are rounded up where the name says it")
    func roundedUp() {
        #expect(Duration.nanoseconds(1_000_000_001).wholeSecondsRoundedUp == 2)
        #expect(Duration.seconds(1).wholeSecondsRoundedUp == 1)
        #expect(Duration.nanoseconds(-1_500_000_000).wholeSecondsRoundedUp == -1)
        #expect(Duration.nanoseconds(1_000_001).wholeMillisecondsRoundedUp == 2)
        #expect(Duration.milliseconds(1).wholeMillisecondsRoundedUp == 1)
        #expect(Duration.nanoseconds(-2_500_000).wholeMillisecondsRoundedUp == -2)
    }

    @Test("Numbers beyond the range are clamped", arguments: [Duration.seconds(Int64.max), .seconds(Int64.min)])
    func clamped(duration: Duration) {
        let limit: Int64 = duration > .zero ? .max : .min
        #expect(duration.wholeSecondsRoundedUp == limit)
        #expect(duration.wholeMilliseconds == limit)
        #expect(duration.wholeMillisecondsRoundedUp == limit)
        #expect(duration.wholeMicroseconds == limit)
        #expect(duration.wholeNanoseconds == limit)
    }
}
