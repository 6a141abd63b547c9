import ErrandTime
import Testing

@Suite("Timestamp")
struct TimestampTests {
    @Test(
        "A timestamp is written as RFC 3339 in UTC with milliseconds, and read from that text",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_795_262_400_250, "2026-11-21T12:00:00.250Z"),
            (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text) == Timestamp(milliseconds: milliseconds))
    }

    @Test(
        "Offsets, fractions of any length, lower case and leap seconds are read",
        arguments: [
            ("2026-11-21T13:00:00+01:00", "2026-11-21T12:00:00.000Z"),
            ("2026-11-20T23:30:00.5-12:30", "2026-11-21T12:00:00.500Z"),
            ("2026-11-21t12:00:00z", "2026-11-21T12:00:00.000Z"),
            ("2026-11-21T12:00:00.1239999999999999999999999Z", "2026-11-21T12:00:00.123Z"),
            ("2026-11-21T12:00:00.05-00:00", "2026-11-21T12:00:00.050Z"),
            ("1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"),
            ("1990-12-31T15:59:60.7-08:00", "1991-01-01T00:00:00.000Z"),
            ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
        ])
    func accepted(text: String, canonical: String) {
        #expect(Timestamp(text)?.description == canonical)
    }

    @Test(
        "Any text other than a timestamp of RFC 3339 is refused",
        arguments: [
            "", "2026", "2026-11-21", "2026-11-21T12:00:00", "2026-11-21 12:00:00Z", "2026-11-21T12:00Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-31T00:00:00Z", "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T12:60:00Z", "2026-11-21T12:00:61Z",
            "2026-11-21T12:00:60Z", "2026-11-21T12:00:00.Z", "2026-11-21T12:00:00+1:00", "2026-11-21T12:00:00+24:00",
            "2026-11-21T12:00:00+0100", "2026-11-21T12:00:00Zx", "+026-11-21T12:00:00Z", "2026-11-21T12:00:00é",
            "12026-11-21T12:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "٢٠٢٦-11-21T12:00:00Z",
        ])
    func refused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("Sums stay within the years that have a text form")
    func sums() {
        let start = Timestamp(milliseconds: 1000)
        #expect(start.adding(.milliseconds(-1500)) == Timestamp(milliseconds: -500))
        #expect(start.adding(.nanoseconds(1_999_999)) == Timestamp(milliseconds: 1001))
        #expect(start.adding(.seconds(Int64.max)) == .latest)
        #expect(start.adding(.seconds(Int64.min)) == .earliest)
        #expect(Timestamp.latest.adding(.milliseconds(1)) == .latest)
        #expect(Timestamp(milliseconds: .max) == .latest)
        #expect(Timestamp(milliseconds: .min) == .earliest)
        #expect(Timestamp(milliseconds: 2500).duration(since: start) == .milliseconds(1500))
    }

    @Test("The system's time passes")
    func now() {
        let first = Timestamp.now()
        #expect(first > Timestamp(milliseconds: 1_700_000_000_000))
        #expect(Timestamp.now() >= first)
    }
}
