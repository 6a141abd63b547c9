/// A reader of a body source outside of a transfer, which waits while the source pauses.
///
/// Must be used by one task at a time.
package final class SourceReader: Sendable {
    private let source: any BodySource
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Creates a reader, which must be the only one of its source.
    package init(_ source: any BodySource) {
        self.source = source
        // One wake-up is as good as many: it repeats the read.
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Begins reading.
    package func begin() {
        source.begin { [wake] in wake.yield() }
    }

    /// Reads once.
    package func read(_ maxBytes: Int) -> (answer: SourceAnswer, bytes: [UInt8]) {
        var answer = SourceAnswer.end
        // Safe: the span does not outlive the closure, and its own count states how many bytes it has initialized.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            // Safe: the room is that of the array, of which no byte is initialized yet.
            var span = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
            answer = source.read(into: &span)
            // Safe: `room` is the buffer from which the span was created.
            count = unsafe span.finalize(for: room)
        }
        return (answer, bytes)
    }

    /// Waits until the source can continue, or until the calling Swift task is canceled.
    package func resumed() async {
        var iterator = wakes.makeAsyncIterator()
        await iterator.next()
    }

    /// Returns the next bytes, at least one; `nil` at the end.
    ///
    /// - Parameter maxBytes: The maximum number of bytes, at least 1.
    /// - Throws: The error of the source; ``TransferError/Code/transportError`` if it returns no bytes;
    ///   ``TransferError/Code/canceled`` if the calling Swift task is canceled.
    package func next(_ maxBytes: Int) async throws(TransferError) -> [UInt8]? {
        while !Task.isCancelled {
            let (answer, bytes) = read(maxBytes)
            guard bytes.isEmpty else { return bytes }
            switch answer {
            case .bytes:
                throw TransferError(.transportError, "The source of the request content returned no bytes")
            case .pause: await resumed()
            case .end: return nil
            case .failed(let error): throw error
            }
        }
        throw .canceled
    }
}
