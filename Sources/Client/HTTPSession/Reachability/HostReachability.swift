public import ErrandSessionCore

/// The reachability of a server, for a program that sends it no requests, or not yet.
///
/// ```swift
/// let host = try HostReachability("https://api.example.com", probe: .http(path: "health"))
/// for await reachability in host.changes where reachability == .reachable { await sendWhatWaits() }
/// ```
///
/// A ``Session`` knows the reachability of its own upstream (``Session/reachability``) and needs no such object. Probes
/// are made from the creation until ``stop()``, or until the object is released. Any thread.
public final class HostReachability: Sendable {
    private let session: Session

    /// Creates an object, and begins to probe the server.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL of the server.
    ///   - probe: The kind of probes. Default: connections to the host and port. ``ReachabilityConfiguration/Probe/passive``
    ///     would never learn anything, and means the default too.
    ///   - interval: The time from the end of one probe to the next, at least 10 ms. Default: 30 s.
    ///   - timeout: The time after which a probe has failed. Default: 10 s.
    /// - Throws: ``SessionErrorCode/badURL`` or ``SessionErrorCode/unsupportedURL`` if the URL, or the path of the probe, is
    ///   invalid. An error if libcurl cannot be initialized, or the system has no thread or descriptor left.
    public init(
        _ url: String, probe: ReachabilityConfiguration.Probe = .tcp, every interval: Duration = .seconds(30),
        timeout: Duration = .seconds(10)
    ) throws(SessionError) {
        session = try Session(baseURL: url) {
            $0.reachability = ReachabilityConfiguration(
                probe: probe == .passive ? .tcp : probe, interval: max(interval, .milliseconds(10)))
            $0.timeouts.connect = timeout
        }
        if case .http(let path) = probe {
            do throws(RequestProblems) {
                _ = try session.prepare(TaskRequest(path: path))
            } catch {
                throw error.error
            }
        }
        session.startMonitoring()
    }

    /// The result of the last probe; ``Reachability/unknown`` before the first has ended.
    ///
    /// A probe that the session itself refuses (a denied address, an untrusted certificate, unusable credentials) tells
    /// nothing: the former result stays, except that ``Reachability/notReachable`` becomes ``Reachability/unknown``.
    public var current: Reachability { session.reachability }

    /// The value of ``current``, unless that is unknown, and its changes from now on.
    ///
    /// The sequence keeps the object, and ends after ``stop()``.
    public var changes: some AsyncSequence<Reachability, Never> & Sendable {
        // Before the value is read, so that no change is missed in between.
        let events = session.events
        let (stream, continuation) = AsyncStream.makeStream(
            of: Reachability.self, bufferingPolicy: .bufferingNewest(64))
        let relay = Task {
            var last = Reachability.unknown
            func tell(_ reachability: Reachability) {
                guard reachability != last else { return }
                last = reachability
                continuation.yield(reachability)
            }
            tell(self.current)
            for await case .reachability(let change) in events { tell(change) }
            continuation.finish()
        }
        continuation.onTermination = { _ in relay.cancel() }
        return stream
    }

    /// Stops the probes, and ends all sequences of ``changes``.
    public func stop() async {
        session.stopMonitoring()
        await session.invalidate(cancelingTasks: true)
    }

    deinit {
        session.stopMonitoring()
    }
}
