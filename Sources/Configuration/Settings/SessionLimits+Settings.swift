import SessionCore

extension SessionLimits {
    static let settings = SettingGroup(
        SessionLimits(),
        [
            Setting("concurrent", \.concurrent, .integer(1...100_000), "The most tasks that run at once."),
            Setting(
                "rate", \.rate, .nullable(SettingType<Rate>.rate.mapped({ StartRate($0) }, { Rate($0) })),
                "How often an attempt may start; null for any number."),
            Setting(
                "burst", \.burst, .nullable(.integer(1...1_000_000)),
                "How many attempts may start at once after a pause; null for one second's rate. Needs `rate`."),
            Setting(
                "bytes_per_second", \.bytesPerSecond, .nullable(.bytesPerSecond(1024...1 << 40)),
                "The most that all transfers of the session move together, in each direction; null for as much as goes."
            ),
            Setting(
                "max_queued", \.maxQueued, .integer(0...1_000_000_000),
                "The most tasks that wait for their turn; more are refused with 429. 0 for any number."),
        ]
    ) { limits, node, reader in
        if limits.burst != nil, limits.rate == nil, reader.isSound("rate"), reader.isSound("burst") {
            reader.report("a burst needs a rate", at: "burst", in: node)
        }
    }
}

extension CircuitBreakerConfiguration {
    static let settings = SettingGroup(
        CircuitBreakerConfiguration(),
        [
            Setting(
                "failures", \.failures, .integer(0...100_000),
                "So many failures within `window` open the circuit: tasks wait then. 0 for never."),
            Setting(
                "window", \.window, .duration(.milliseconds(1)...(.seconds(86_400))),
                "The time in which failures are counted together."),
            Setting(
                "open", \.open, .duration(.milliseconds(1)...(.seconds(86_400))),
                "How long nothing is started then; after it one attempt finds out whether the upstream is well again."),
        ])
}
