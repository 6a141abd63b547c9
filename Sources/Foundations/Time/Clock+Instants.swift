extension Clock where Duration == Swift.Duration {
    /// Returns a function that reads this clock as instants of ``ContinuousClock``, with an arbitrary origin.
    package func instants() -> @Sendable () -> ContinuousClock.Instant {
        let start = now
        let origin = ContinuousClock.now
        return { origin.advanced(by: start.duration(to: now)) }
    }
}
