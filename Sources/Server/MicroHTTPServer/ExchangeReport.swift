import ErrandHTTPServer
import ErrandTime
import HTTPTypes

/// The part of a request that its handler learns when the response begins, and when it ends.
struct ExchangeReport {
    /// The monotonic time of the request line, in nanoseconds.
    let begin: Int64
    /// The method; `nil` until it is read.
    var method: HTTPRequest.Method?
    /// The pattern of the route; `nil` if there is none.
    var route: String?
    /// True from the start of the first response on.
    private var isMade = false
    /// The response whose end the handler wants to learn; `nil` for none.
    private var tagged: TaggedResponse?

    /// A response with a tag, which has begun.
    private struct TaggedResponse {
        let status: HTTPResponse.Status
        /// The length of the content that is sent; `nil` for a stream.
        let contentLength: Int64?
        /// True if the response was sent as a whole at once, without libmicrohttpd.
        let isSent: Bool
        let tag: any AnyObject & Sendable
    }

    /// Creates the report of a request whose request line has arrived.
    init(begin: Int64) {
        self.begin = begin
    }

    private var age: Duration { .nanoseconds(max(0, SystemClock.monotonicNanoseconds() - begin)) }

    /// Records that a response has begun; returns it for the handler, or `nil` if one to this request has begun before.
    ///
    /// - Parameter isSent: True if the response was sent as a whole at once.
    mutating func responseDidBegin(_ response: ServerResponse, isSent: Bool) -> BegunResponse? {
        guard !isMade else { return nil }
        isMade = true
        tagged = response.tag.map { tag in
            TaggedResponse(
                status: response.status, contentLength: response.contentLength(for: method), isSent: isSent, tag: tag)
        }
        return BegunResponse(method: method, route: route, status: response.status, duration: age)
    }

    /// Returns the response that has ended; `nil` if the handler does not want to learn of it.
    ///
    /// - Parameters:
    ///   - isComplete: True if libmicrohttpd has sent the response as a whole.
    ///   - streamedBytes: The number of sent bytes of a stream.
    func ended(isComplete: Bool, streamedBytes: Int64?, remoteAddress: String) -> EndedResponse? {
        guard let tagged else { return nil }
        let isComplete = isComplete || tagged.isSent
        return EndedResponse(
            method: method, route: route, status: tagged.status, duration: age,
            contentBytes: streamedBytes ?? (isComplete ? tagged.contentLength ?? 0 : nil), isComplete: isComplete,
            remoteAddress: remoteAddress, tag: tagged.tag)
    }
}

extension ServerResponse {
    /// Returns the length of the content that is sent in response to a method; `nil` for a stream.
    fileprivate func contentLength(for method: HTTPRequest.Method?) -> Int64? {
        guard method != .head, status != .notModified else { return 0 }
        return switch body {
        case .empty: 0
        case .bytes(let bytes), .shortenable(let bytes, _): Int64(bytes.count)
        case .file(let region): region.length
        case .stream: nil
        }
    }
}

extension ServerLoop {
    /// Reports a response that begins to the handler, once for each request.
    ///
    /// - Parameters:
    ///   - exchange: The request; `nil` if its request line could not be read.
    ///   - isSent: True if the response was sent as a whole at once.
    func note(
        _ response: ServerResponse, of exchange: Exchange?, on connection: ServerConnection, isSent: Bool = false
    ) {
        guard let exchange else {
            var report = ExchangeReport(begin: SystemClock.monotonicNanoseconds())
            if connection.stream.isHead { report.method = .head }
            if let begun = report.responseDidBegin(response, isSent: isSent) { handler.responseDidBegin(begun) }
            let ended = report.ended(
                isComplete: true, streamedBytes: nil, remoteAddress: connection.remoteAddress)
            if let ended { handler.responseDidEnd(ended) }
            return
        }
        if let begun = exchange.report.responseDidBegin(response, isSent: isSent) { handler.responseDidBegin(begun) }
    }

    /// Reports the end of a response to the handler, if it wants to learn of it.
    func noteEnd(of exchange: Exchange, isComplete: Bool) {
        let ended = exchange.report.ended(
            isComplete: isComplete, streamedBytes: exchange.streamedResponse?.sentBytes,
            remoteAddress: exchange.connection.remoteAddress)
        if let ended { handler.responseDidEnd(ended) }
    }
}
