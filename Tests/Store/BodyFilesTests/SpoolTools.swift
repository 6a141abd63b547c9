import Dispatch
import ErrandLocking
import ErrandTransfer
import Synchronization

@testable import ErrandBodyFiles

/// A queue for writes that a test can pause.
final class DispatchGate: Sendable {
    let queue = DispatchQueue(label: "errand.bodies.test")

    func shut() {
        queue.suspend()
    }

    func open() {
        queue.resume()
    }

    /// Waits until all work on the queue is done.
    func drain() async {
        await withContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}

/// Events that a test awaits one by one.
struct Signals: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func send() {
        continuation.yield()
    }

    func next() async {
        var iterator = stream.makeAsyncIterator()
        await iterator.next()
    }
}

/// Passes bytes to a spool like a transport, and waits when the spool asks for a pause.
final class Feeder: Sendable {
    private let bytes: [UInt8]
    private let resumed = Signals()

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func resume() {
        resumed.send()
    }

    func feed(_ spool: BodySpool, by size: Int) async throws {
        for start in stride(from: 0, to: bytes.count, by: size) {
            switch append(spool, start..<min(start + size, bytes.count)) {
            case .more: continue
            case .pause: await resumed.next()
            case .stop(let error): throw error
            }
        }
    }

    private func append(_ spool: BodySpool, _ range: Range<Int>) -> ReceiveDecision {
        let bytes = bytes
        return spool.append(bytes.span.bytes.extracting(range))
    }
}

/// A place for incomplete files that are kept.
final class KeptPlace: KeptBodyPlace {
    let path: String
    let prepared = Atomic(0)

    init(_ path: String) {
        self.path = path
    }

    func prepare() -> String {
        prepared.add(1, ordering: .relaxed)
        return path
    }
}
