package import Transfer

/// A transport that only reads: asks a body source for bytes and waits when it pauses.
///
/// One task at a time.
package final class SourceReader: Sendable {
    private let source: any BodySource
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    package init(_ source: any BodySource) {
        self.source = source
        // One wake says as much as many: ask again.
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Begins to read.
    package func begin() {
        source.begin { [wake] in wake.yield() }
    }

    /// Asks once.
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

    /// Waits until the source says that it can go on.
    package func resumed() async {
        var iterator = wakes.makeAsyncIterator()
        await iterator.next()
    }

    /// Reads until the source ends, or until `limit` bytes have come.
    ///
    /// - Parameter chunk: The room given to each read, cut to what the limit leaves.
    /// - Throws: The error that the source ends with.
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

    /// Reads everything in one go: begins, reads to the end, ends.
    package static func content(of source: any BodySource, chunk: Int = 1000) async throws(TransferError) -> [UInt8] {
        let reader = SourceReader(source)
        reader.begin()
        defer { source.end() }
        return try await reader.readAll(chunk: chunk)
    }
}
