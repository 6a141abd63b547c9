import ErrandTime

extension Clock where Duration == Swift.Duration {
    /// Returns a task that performs an action after a delay, unless it is canceled before.
    func timer(after duration: Duration, _ action: @escaping @Sendable () -> Void) -> Task<Void, Never> {
        Task {
            // Sleeping throws if the task is canceled; then there is nothing to do.
            guard (try? await boundedSleep(for: duration)) != nil else { return }
            action()
        }
    }
}
