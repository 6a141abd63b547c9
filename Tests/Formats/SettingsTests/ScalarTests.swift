import ErrandTime
import ErrandYAML
import Testing

@testable import ErrandSettings

@Suite("Values of settings")
struct ScalarTests {
    static let sizes: [(String, Int64?)] = [
        ("0", 0), ("1", 1), ("512B", 512), ("1KiB", 1024), ("64MiB", 64 << 20), ("1GiB", 1 << 30), ("8TiB", 8 << 40),
        ("007", 7), ("8388607TiB", 8_388_607 << 40), ("8388608TiB", nil), ("9999999999999999999", nil), ("", nil),
        ("KiB", nil), ("1 KiB", nil), ("1kb", nil), ("1MB", nil), ("-1", nil), ("1.5MiB", nil), ("٣", nil),
        ("1KiBx", nil),
    ]

    @Test("A size is a number of bytes, optionally with a unit of a power of 1024", arguments: sizes)
    func size(text: String, bytes: Int64?) {
        #expect(ByteSize.parse(text) == bytes)
    }

    @Test(
        "A size is written with the largest unit that is exact",
        arguments: [
            (0, "0"), (1, "1"), (1000, "1000"), (1024, "1KiB"), (1536, "1536"), (64 << 20, "64MiB"), (3 << 40, "3TiB"),
            (Int64.max, "9223372036854775807"),
        ] as [(Int64, String)])
    func sizeText(bytes: Int64, text: String) {
        #expect(ByteSize.format(bytes) == text)
        #expect(ByteSize.parse(text) == bytes || bytes == Int64.max)
    }

    @Test(
        "A number is written without an exponent, which a setting does not read",
        arguments: [
            (0, "0"), (100, "100"), (0.25, "0.25"), (1.5, "1.5"), (5e-05, "0.00005"), (1.25e-07, "0.000000125"),
            (1e16, "10000000000000000"), (1.5e20, "150000000000000000000"),
        ] as [(Double, String)])
    func numberText(number: Double, text: String) {
        #expect(SettingType<Double>.number(0...1e21).write(number) == .plain(text))
    }

    static let durations: [(String, Duration?)] = [
        ("0", .zero), ("30", .seconds(30)), ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)),
        ("2h", .seconds(7200)), ("7d", .seconds(604_800)), ("999999999999999999d", nil), ("", nil), ("s", nil),
        ("5 m", nil), ("5M", nil), ("-5s", nil), ("1.5s", nil), ("1h30m", nil), ("5sec", nil), ("٣s", nil),
    ]

    @Test("A duration is a whole number with a unit, or in seconds", arguments: durations)
    func duration(text: String, duration: Duration?) {
        #expect(DurationText.parse(text) == duration)
    }

    @Test(
        "A duration is written with the largest unit that is exact",
        arguments: [
            (.zero, "0s"), (.milliseconds(1), "1ms"), (.milliseconds(1500), "1500ms"), (.seconds(60), "1m"),
            (.seconds(90), "90s"), (.seconds(86_400), "1d"), (.microseconds(5), "0s"),
            (.seconds(Int64.max), "9223372036854775807s"),
        ] as [(Duration, String)])
    func durationText(duration: Duration, text: String) {
        #expect(duration.shortText == text)
    }
}
