import Dispatch
import Glibc
import Synchronization

/// SIGTERM and SIGINT, as something to wait for.
///
/// A second one ends the process at once.
///
/// SIGPIPE is ignored for the whole process: a peer that leaves is an error of its connection, not the end.
final class StopSignals: Sendable {
    private let arrivals: AsyncStream<Int32>
    // The sources, which live as long as this object. They are not touched after init.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init() {
        signal(SIGPIPE, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        arrivals = stream
        sources = [SIGTERM, SIGINT].map { number in
            // The default action would end the process before the source hears of it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            let count = Counter()
            source.setEventHandler {
                if count.next() > 1 { _exit(128 + number) }
                continuation.yield(number)
            }
            source.activate()
            return source
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)

        func next() -> Int {
            value.wrappingAdd(1, ordering: .relaxed).newValue
        }
    }

    /// Waits for the first signal.
    func first() async {
        for await _ in arrivals { return }
    }
}
