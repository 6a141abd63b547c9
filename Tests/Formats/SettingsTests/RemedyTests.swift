import Testing

@testable import ErrandSettings

@Suite("Remedies of common mistakes in values")
struct RemedyTests {
    @Test(
        "The names of units that other programs use have a remedy, and correct or unclear texts have none",
        arguments: [
            (Remedy.duration("5 minutes"), "5m"), (Remedy.duration("250 msec"), "250ms"),
            (Remedy.duration("2HR"), "2h"),
            (Remedy.duration("1.5s"), "1500ms"), (Remedy.duration("1.5"), "1500ms"), (Remedy.duration("1h30m"), "90m"),
            (Remedy.duration("1 week"), "7d"), (Remedy.duration("1.2345s"), nil), (Remedy.duration("1h 5"), nil),
            (Remedy.duration("0.0s"), nil), (Remedy.duration(String(repeating: "999999999w", count: 30)), nil),
            (Remedy.duration("30s"), nil), (Remedy.duration("soon"), nil),
            (Remedy.size("64M"), "64MiB"), (Remedy.size("10 kb"), "10KiB"), (Remedy.size("8 bytes"), "8"),
            (Remedy.size("64MiB"), nil), (Remedy.size("1XB"), nil),
            (Remedy.rate("10 per second"), "10/s"), (Remedy.rate("600/min"), "600/m"), (Remedy.rate("5/day"), nil),
            (Remedy.rate("0/sec"), nil), (Remedy.rate("10/s"), nil),
            (Remedy.bytesPerSecond("1 MB/sec"), "1MiB/s"), (Remedy.bytesPerSecond("1MiB/h"), nil),
            (Remedy.boolean("TRUE"), "true"), (Remedy.boolean("Off"), "false"), (Remedy.boolean("1"), nil),
            (Remedy.word("information", among: ["info", "debug"]), "info"),
            (Remedy.word("false", among: ["none", "gzip"]), "none"),
            (Remedy.word("zstd", among: ["none", "gzip"]), nil),
        ] as [(String?, String?)])
    func units(remedy: String?, value: String?) {
        #expect(remedy == value.map { "did you mean \($0)?" })
    }

    @Test("Another common name of a setting has a remedy, if the group has that setting")
    func settings() {
        #expect(Remedy.setting("url", among: ["base_url", "retry"]) == "base_url")
        #expect(Remedy.setting("retries", among: ["base_url", "retry"]) == "retry")
        #expect(Remedy.setting("retries", among: ["max_attempts"]) == nil)
        #expect(Remedy.setting("base_ulr", among: ["base_url", "retry"]) == "base_url")
    }
}
