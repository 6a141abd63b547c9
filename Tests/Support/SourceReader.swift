package import ErrandTransfer

/// A transport that only reads a body source, and waits when the source pauses.
///
/// Must be used by one task at a time.
package final class SourceReader: Sendable {
    private let source: any BodySource
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

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
        let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            var span = OutputRawSpan(buffer: room, initializedCount: 0)
            answer = source.read(into: &span)
            count = span.finalize(for: room)
        }
        return (answer, bytes)
    }

    /// Waits until the source can continue.
    package func resumed() async {
        var iterator = wakes.makeAsyncIterator()
        await iterator.next()
    }

    /// Reads until the source ends, or until `limit` bytes were read.
    ///
    /// - Parameter chunk: The most bytes of each read, reduced to what remains of the limit.
    /// - Throws: The error of the source.
    package func readAll(chunk: Int, limit: Int = .max) async throws(TransferError) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < limit {
            let (answer, bytes) = read(min(chunk, limit - all.count))
            all += bytes
            switch answer {
            case .bytes: break
            case .pause where bytes.isEmpty: await resumed()
            case .pause: break
            case .end: return all
            case .failed(let error): throw error
            }
        }
        return all
    }

    /// Reads the complete content: begins, reads to the end, ends.
    package static func content(of source: any BodySource, chunk: Int = 1000) async throws(TransferError) -> [UInt8] {
        let reader = SourceReader(source)
        reader.begin()
        defer { source.end() }
        return try await reader.readAll(chunk: chunk)
    }
}
