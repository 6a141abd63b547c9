import Dispatch
import Glibc

/// SIGHUP as an asynchronous sequence.
///
/// From initialization on, the signal no longer terminates the process. Several signals between two reads are one
/// element.
final class ReloadSignals: Sendable {
    /// The signals, one element each.
    let arrivals: AsyncStream<Void>
    // The source lives as long as this object, and is not accessed after init.
    nonisolated(unsafe) private let source: any DispatchSourceSignal

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        arrivals = stream
        // The default action would terminate the process before the source is notified.
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.activate()
    }
}
