import Dispatch
import Glibc

/// SIGHUP, as something that comes again and again.
///
/// From its making on the signal does not end the process any more. Several that come while nobody looks are one.
final class ReloadSignals: Sendable {
    /// One element for each time that there was a signal.
    let arrivals: AsyncStream<Void>
    // The source, which lives as long as this object. It is not touched after init.
    nonisolated(unsafe) private let source: any DispatchSourceSignal

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        arrivals = stream
        // The default action would end the process before the source hears of it.
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.activate()
    }
}
