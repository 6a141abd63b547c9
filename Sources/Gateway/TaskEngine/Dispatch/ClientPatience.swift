/// The longest times that the gateway lets a client wait.
package struct ClientPatience: Sendable, Hashable {
    /// The time for a step to be stored.
    ///
    /// After it, the client is told that the store does not keep up, and may ask again.
    package var reply = Duration.seconds(10)
    /// The time for the connection of a canceled attempt to be closed, before the client is told `canceling`.
    package var cancel = Duration.seconds(2)
    /// The time for a task that is to be deleted to end, after the cancellation.
    package var removal = Duration.seconds(8)
    /// The time for a reload to end.
    ///
    /// After it, the client is told that the reload goes on.
    package var reload = Duration.seconds(30)
    /// The time for the store to tell since when the first tasks of queues wait.
    ///
    /// After it, the metrics leave out these times.
    package var metrics = Duration.seconds(1)

    /// Creates the gateway's limits: no call of a task waits longer than the sum of ``reply``, ``cancel`` and
    /// ``removal``, and a reload no longer than ``reload``.
    package init() {}
}
