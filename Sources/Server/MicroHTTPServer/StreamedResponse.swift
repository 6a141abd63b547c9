import CErrandMicroHTTPD
import ErrandHTTPServer

/// The bytes of a streamed response on their way from the handler to libmicrohttpd.
///
/// Used on the server's thread only. One part is kept at a time; the next one is requested when libmicrohttpd, and so
/// the client, has taken it.
final class StreamedResponse {
    let source: ResponseStream
    /// The exchange, or `nil` after its end; the stream itself lives as long as libmicrohttpd's response.
    weak var exchange: Exchange?
    private var part: [UInt8] = []
    private var taken = 0
    private var ending: Ending?
    /// The number of bytes that libmicrohttpd has taken.
    private(set) var sentBytes: Int64 = 0

    enum Ending {
        case complete
        case broken
    }

    enum Reading: Equatable {
        case bytes(Int)
        case end
        case failure
        /// No bytes are available yet.
        case dry
    }

    init(_ source: ResponseStream) {
        self.source = source
    }

    /// Accepts the next part from the handler.
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

    /// Copies bytes into a buffer of libmicrohttpd.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        let count = min(part.count - taken, buffer.count)
        guard count == 0 else {
            part.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[taken..<taken + count]))
            }
            taken += count
            sentBytes += Int64(count)
            if taken == part.count {
                // An idle stream keeps no memory.
                part = []
                taken = 0
            }
            return .bytes(count)
        }
        switch ending {
        case nil: return .dry
        case .broken: return .failure
        // A stream that ends before its announced length is cut off.
        case .complete: return source.length.map { $0 > sentBytes } ?? false ? .failure : .end
        }
    }
}
