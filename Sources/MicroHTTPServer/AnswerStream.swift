import CMicroHTTPD
import HTTPServer

/// The bytes of a streamed answer on their way from the handler to libmicrohttpd.
///
/// The server's thread only.
///
/// One part is held at a time. The next one is asked for when libmicrohttpd, and so the client, has taken it.
final class AnswerStream {
    let source: ResponseStream
    /// Cleared when the exchange ends; the stream itself lives as long as libmicrohttpd's response.
    weak var exchange: Exchange?
    private var part: [UInt8] = []
    private var taken = 0
    private var ending: Ending?
    private var sentBytes: Int64 = 0

    enum Ending {
        case complete
        case broken
    }

    enum Reading: Equatable {
        case bytes(Int)
        case end
        case failure
        /// Nothing yet.
        case dry
    }

    init(_ source: ResponseStream) {
        self.source = source
    }

    /// Takes the part that the handler has made.
    func give(_ result: Result<[UInt8]?, any Error>) {
        switch result {
        case .success(let bytes?):
            part = bytes
            taken = 0
        case .success(nil):
            ending = .complete
        case .failure:
            ending = .broken
        }
    }

    /// Copies bytes for libmicrohttpd.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        let count = min(part.count - taken, buffer.count)
        guard count == 0 else {
            part.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[taken..<taken + count]))
            }
            taken += count
            sentBytes += Int64(count)
            if taken == part.count {
                // An idle stream holds nothing.
                part = []
                taken = 0
            }
            return .bytes(count)
        }
        switch ending {
        case nil: return .dry
        case .broken: return .failure
        // Less than was promised is not a proper end.
        case .complete: return source.length.map { $0 > sentBytes } ?? false ? .failure : .end
        }
    }
}
