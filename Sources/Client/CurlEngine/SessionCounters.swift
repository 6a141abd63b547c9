import Synchronization

/// The counters of a session's activity, updated on the loop's thread and read on any thread.
final class SessionCounters: Sendable {
    private let running = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)
    private let started = Atomic<Int>(0)
    private let probes = Atomic<Int>(0)
    private let reused = Atomic<Int>(0)

    func transferStarted() {
        running.add(1, ordering: .relaxed)
        started.add(1, ordering: .relaxed)
    }

    func transferEnded(reused isReused: Bool) {
        running.subtract(1, ordering: .relaxed)
        if isReused { reused.add(1, ordering: .relaxed) }
    }

    func probeStarted() {
        probes.add(1, ordering: .relaxed)
    }

    func probeEnded() {
        probes.subtract(1, ordering: .relaxed)
    }

    func connectionOpened() {
        connections.add(1, ordering: .relaxed)
    }

    func connectionClosed() {
        connections.subtract(1, ordering: .relaxed)
    }

    var counts: CurlSession.Counts {
        CurlSession.Counts(
            runningTransfers: running.load(ordering: .relaxed), openConnections: connections.load(ordering: .relaxed),
            runningProbes: probes.load(ordering: .relaxed), startedTransfers: started.load(ordering: .relaxed),
            reusedConnections: reused.load(ordering: .relaxed))
    }
}
