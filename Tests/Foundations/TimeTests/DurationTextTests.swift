import ErrandTime
import Testing

@Suite("The text of a duration")
struct DurationTextTests {
    @Test(
        "has the largest unit of which the duration is a multiple",
        arguments: [
            (Duration.zero, "0s"), (.milliseconds(250), "250ms"), (.microseconds(999), "0s"), (.seconds(5), "5s"),
            (.milliseconds(1500), "1500ms"), (.seconds(90), "90s"), (.seconds(300), "5m"), (.seconds(7200), "2h"),
            (.seconds(604_800), "7d"), (.seconds(Int64.max), "\(Int64.max)s"),
        ])
    func text(duration: Duration, text: String) {
        #expect(duration.shortText == text)
    }
}
