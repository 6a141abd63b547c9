import ErrandSessionCore
import ErrandSettings

extension SessionLimits {
    static let settings = SettingGroup(
        SessionLimits(),
        [
            Setting("concurrent", \.concurrent, .integer(1...100_000), "The most tasks that run at once."),
            Setting(
                "rate", \.rate, .nullable(SettingType<Rate>.rate.mapped({ StartRate($0) }, { Rate($0) })),
                "The most attempts that may start per second, minute or hour; null for no limit."),
            Setting(
                "burst", \.burst, .nullable(.integer(1...1_000_000)),
                """
                The most attempts that may start at once after a pause; null for the number of one second. Requires \
                `rate`.
                """),
            Setting(
                "bytes_per_second", \.bytesPerSecond, .nullable(.bytesPerSecond(1024...1 << 40)),
                "The transfer rate of all transfers of the session together, in each direction; null for no limit."
            ),
            Setting(
                "max_queued", \.maxQueued, .integer(0...1_000_000_000),
                """
                The most queued tasks; further tasks are refused with 429, except runs of schedules and callbacks. 0 \
                for no limit.
                """),
        ],
        shorthand: "concurrent"
    ) { limits, node, reader in
        if limits.burst != nil, limits.rate == nil, reader.isSound("rate"), reader.isSound("burst") {
            reader.report("burst requires rate", at: "burst", in: node)
        }
    }
}

extension CircuitBreakerConfiguration {
    static let settings = SettingGroup(
        CircuitBreakerConfiguration(),
        [
            Setting(
                "failures", \.failures, .integer(0...100_000),
                "The number of failures within `window` that opens the circuit, so that tasks wait. 0 for never."),
            Setting(
                "window", \.window, .duration(.milliseconds(1)...(.seconds(86_400))),
                "The period in which failures are counted."),
            Setting(
                "open", \.open, .duration(.milliseconds(1)...(.seconds(86_400))),
                "The time that the circuit stays open. Afterwards one attempt tests the upstream."),
        ])
}
