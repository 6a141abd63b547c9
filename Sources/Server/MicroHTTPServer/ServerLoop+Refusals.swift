import ErrandHTTPServer
import ErrandTime
import HTTPTypes

// Responses that are sent without libmicrohttpd where it cannot send one, on the loop's thread.
extension ServerLoop {
    /// Responds to an invalid request with a problem, and closes the connection.
    func refuse(_ connection: ServerConnection, _ problem: ProblemDetails) {
        noteMethod(of: connection)
        let exchange = connection.exchange
        let response =
            exchange.map { $0.changing(refusal: handler.response(to: $0.locating(problem))) }
            ?? handler.response(to: problem)
        if let bytes = Self.bytes(of: response, on: connection) {
            connection.sendLastWords(bytes)
            note(response, of: exchange, on: connection, isSent: true)
        }
        close(connection, reason: .clientLeft)
    }

    /// Rejects a request or content that takes too long.
    ///
    /// If the handler has responded already, and its response waits for the end of the content, the client gets that.
    func refuseSlow(_ connection: ServerConnection) {
        noteMethod(of: connection)
        // Another response would become a part of one that is being sent.
        guard let exchange = connection.exchange, !exchange.machine.isResponding else { return connection.disconnect() }
        let problem = ProblemDetails(.requestTimeout, detail: "the request arrived too late or too slowly")
        let waiting = exchange.response.flatMap { $0.body.isInMemory ? $0 : nil }
        sendLastWords(
            waiting ?? exchange.changing(refusal: handler.response(to: exchange.locating(problem))), on: exchange)
        close(connection, reason: .tooSlow)
    }

    /// Closes a connection whose client was sent its last response, and reads for a while what that still sends.
    ///
    /// Otherwise the system would reset the connection, and the client might not read the response (RFC 9112 §9.6).
    ///
    /// - Parameter reason: The reason for which a handler under way gets no more content.
    private func close(_ connection: ServerConnection, reason: RequestBodyError) {
        linger(connection)
        let exchange = connection.exchange
        exchange?.contentSource?.fail(reason)
        exchange?.task?.cancel()
        let wasSuspended = exchange?.machine.abort() ?? false
        connection.close(isSuspended: wasSuspended)
    }

    /// Notes that a request is a HEAD if it is refused before its head was read.
    private func noteMethod(of connection: ServerConnection) {
        guard let exchange = connection.exchange, exchange.report.method == nil, connection.stream.isHead else {
            return
        }
        exchange.method = .head
        exchange.report.method = .head
    }

    func sendLastWords(_ response: ServerResponse, on exchange: Exchange) {
        guard let bytes = Self.bytes(of: response, on: exchange.connection) else { return }
        exchange.connection.sendLastWords(bytes)
        note(response, of: exchange, on: exchange.connection, isSent: true)
    }

    private static func bytes(of response: ServerResponse, on connection: ServerConnection) -> [UInt8]? {
        let isHead = connection.exchange.map { $0.method == .head } ?? connection.stream.isHead
        return RawResponse.bytes(of: response, withContent: !isHead, at: SystemClock.secondsSince1970())
    }
}
