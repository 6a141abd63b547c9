import ErrandHTTPServer
import ErrandTime
import HTTPTypes

/// The part of a request that its handler learns when the response begins.
struct ExchangeReport {
    /// The monotonic time of the request line, in nanoseconds.
    let begin: Int64
    /// The method; `nil` until it is read.
    var method: HTTPRequest.Method?
    /// The pattern of the route; `nil` if there is none.
    var route: String?
    /// True from the start of the first response on.
    private var isMade = false

    /// Creates the report of a request whose request line has arrived.
    init(begin: Int64) {
        self.begin = begin
    }

    /// Returns the answered request; `nil` if it was returned before.
    mutating func answered(_ status: HTTPResponse.Status) -> AnsweredRequest? {
        guard !isMade else { return nil }
        isMade = true
        let nanoseconds = max(0, SystemClock.monotonicNanoseconds() - begin)
        return AnsweredRequest(method: method, route: route, status: status, duration: .nanoseconds(nanoseconds))
    }
}

extension ServerLoop {
    /// Reports a response that begins to the handler, once for each request.
    ///
    /// - Parameter exchange: The request; `nil` if its request line could not be read.
    func note(_ status: HTTPResponse.Status, of exchange: Exchange?) {
        guard let exchange else {
            return handler.didAnswer(AnsweredRequest(method: nil, route: nil, status: status, duration: .zero))
        }
        if let request = exchange.report.answered(status) { handler.didAnswer(request) }
    }
}
