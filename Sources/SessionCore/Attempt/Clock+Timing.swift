extension Clock where Duration == Swift.Duration {
    /// The value of something, and how long that took.
    func timing<Value>(_ work: () async -> Value) async -> (value: Value, duration: Duration) {
        let start = now
        let value = await work()
        return (value, start.duration(to: now))
    }
}
