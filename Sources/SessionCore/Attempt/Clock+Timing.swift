extension Clock where Duration == Swift.Duration {
    /// The value of something, and how long that took.
    func timing<Value>(_ work: () async -> Value) async -> (value: Value, duration: Duration) {
        let start = now
        let value = await work()
        return (value, start.duration(to: now))
    }

    /// Tells the time as ``ContinuousClock`` does, by this clock: from an arbitrary beginning on.
    func instants() -> @Sendable () -> ContinuousClock.Instant {
        let start = now
        let origin = ContinuousClock.now
        return { origin.advanced(by: start.duration(to: now)) }
    }

    /// Does something after a while, unless the task is cancelled before.
    func alarm(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            // It throws when the task is cancelled, and then there is nothing to do.
            guard (try? await sleep(for: duration)) != nil else { return }
            action()
        }
    }
}
