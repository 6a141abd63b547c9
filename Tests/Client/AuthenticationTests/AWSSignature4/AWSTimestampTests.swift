import ErrandAuthentication
import Testing

@Suite("AWSTimestamp")
struct AWSTimestampTests {
    @Test(
        "Seconds since 1970 are written in the basic format of ISO 8601",
        arguments: [
            (0, "19700101T000000Z"), (-1, "19691231T235959Z"), (1_440_938_160, "20150830T123600Z"),
            (1_369_353_600, "20130524T000000Z"), (951_782_399, "20000228T235959Z"), (951_782_400, "20000229T000000Z"),
            (4_107_542_399, "21000228T235959Z"), (4_107_542_400, "21000301T000000Z"),
            (253_402_300_799, "99991231T235959Z"), (-62_167_219_200, "00000101T000000Z"),
        ] as [(Int64, String)])
    func written(seconds: Int64, text: String) {
        let time = AWSTimestamp(secondsSince1970: seconds)
        #expect(time.text == text)
        #expect(time.day == text.prefix(8))
    }

    @Test("Times outside of four-digit years are clamped")
    func clamped() {
        #expect(AWSTimestamp(secondsSince1970: .max).text == "99991231T235959Z")
        #expect(AWSTimestamp(secondsSince1970: .min).text == "00000101T000000Z")
    }
}
