import ErrandLocking
import ErrandTransfer

/// Content from memory, for tests of requests that are not sent.
final class TextSource: BodySource {
    private let bytes: [UInt8]
    private let sent = Mutex(0)

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var length: Int64? { Int64(bytes.count) }

    func read(into buffer: inout OutputRawSpan) -> SourceAnswer {
        sent.withLock { sent in
            guard sent < bytes.count else { return .end }
            let count = min(buffer.freeCapacity, bytes.count - sent)
            for byte in bytes[sent..<(sent + count)] { buffer.append(byte) }
            sent += count
            return .bytes
        }
    }

    func rewind() -> Bool {
        sent.withLock { $0 = 0 }
        return true
    }
}
