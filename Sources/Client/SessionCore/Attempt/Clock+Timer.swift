extension Clock where Duration == Swift.Duration {
    /// Returns a task that performs an action after a delay, unless it is cancelled before.
    func timer(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            // Sleeping throws if the task is cancelled; then there is nothing to do.
            guard (try? await sleep(for: duration)) != nil else { return }
            action()
        }
    }
}
