import Dispatch
import Glibc

/// A signal that may arrive several times, as an asynchronous sequence.
///
/// From initialization on, the signal no longer terminates the process. Several signals between two reads are one
/// element.
final class RepeatedSignal: Sendable {
    /// The signals, one element each.
    let arrivals: AsyncStream<Void>
    // The source lives as long as this object, and is not accessed after init.
    nonisolated(unsafe) private let source: any DispatchSourceSignal

    /// - Parameter number: The number of the signal, such as `SIGHUP`.
    init(_ number: Int32) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        arrivals = stream
        // The default action would terminate the process before the source is notified.
        signal(number, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "errand.signal-\(number)"))
        source.setEventHandler { continuation.yield() }
        source.activate()
    }
}
