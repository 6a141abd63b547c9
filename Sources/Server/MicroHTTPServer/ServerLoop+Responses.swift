import CErrandMicroHTTPD
import ErrandEventLoop
import ErrandHTTPServer
import ErrandLogs
import HTTPTypes
import Logging

// Responses on their way to the client, on the loop's thread.
extension ServerLoop {
    /// Sends the response of an exchange.
    ///
    /// - Returns: `false` to close the connection.
    func queueResponse(of exchange: Exchange, closing: Bool) -> Bool {
        guard let response = exchange.response.map({ affordable($0, for: exchange) }) else { return false }
        // No content is received any more, however long the client takes for the response.
        exchange.connection.clock.requestCompleted(now: now)
        exchange.response = nil
        // It keeps the closures of the handler, which are not needed while a response is sent.
        exchange.changes = nil
        let context = ResponseBuilder.Context(method: exchange.method, closes: closing || isDraining)
        do {
            let (sent, built) = try build(response, for: exchange, in: context)
            defer { MHD_destroy_response(built.handle) }
            built.stream?.exchange = exchange
            exchange.streamedResponse = built.stream
            guard MHD_queue_response(exchange.handle, UInt32(clamping: sent.status.code), built.handle) == .YES else {
                return false
            }
            note(sent, of: exchange, on: exchange.connection)
            return true
        } catch {
            logger.error("Cannot send an error response", metadata: ["reason": "\(error)"])
            return false
        }
    }

    /// Builds the response, or another one if it cannot be sent, and returns the response that is sent.
    private func build(
        _ response: ServerResponse, for exchange: Exchange, in context: ResponseBuilder.Context
    ) throws(ResponseBuilder.Failure) -> (ServerResponse, ResponseBuilder.Built) {
        let other: ServerResponse
        do throws(ResponseBuilder.Failure) {
            return (response, try ResponseBuilder.build(response, in: context))
        } catch {
            other = replacement(of: response, for: exchange, after: error)
        }
        return (other, try ResponseBuilder.build(other, in: context))
    }

    /// Returns the response to send in place of one that cannot be sent: its own if its file is missing, or a 500.
    private func replacement(
        of response: ServerResponse, for exchange: Exchange, after failure: ResponseBuilder.Failure
    ) -> ServerResponse {
        if case .missing(let path) = failure, case .file(let region) = response.body, let change = region.ifMissing {
            logger.notice("The file of a response is missing", metadata: ["path": "\(path)"])
            var other = response
            change(&other)
            return other
        }
        logger.error(
            "Cannot send a response",
            metadata: ["status": .stringConvertible(response.status.code), "reason": "\(failure)"])
        let problem = ProblemDetails(.internalError, detail: "the response could not be sent; see the server's log")
        return response.replaced(by: handler.response(to: exchange.locating(problem)))
    }

    /// Returns the response, or a 503 if too many bytes of other responses have not been taken by clients.
    ///
    /// Responses that report a change are always sent, in a short form if they have one; those without content need no
    /// room.
    private func affordable(_ response: ServerResponse, for exchange: Exchange) -> ServerResponse {
        guard exchange.method != .head, response.status != .notModified else { return response }
        let bytes =
            switch response.body {
            case .bytes(let content), .shortenable(let content, _): content.count
            case .stream(let stream): stream.firstPartBytes
            case .empty, .file: 0
            }
        guard bytes > ByteBudget.smallBytes else { return response }
        if !responses.allows(bytes) {
            if exchange.method == .get {
                return response.replaced(by: overloaded("responses that clients have not read yet", exchange))
            }
            if case .shortenable(_, let short) = response.body {
                var response = response
                response.body = .bytes(short)
                return affordable(response, for: exchange)
            }
        }
        responses.take(bytes)
        exchange.responseBytes = bytes
        return response
    }

    /// Adds a part of a streamed response to the bytes that clients have not taken, in place of the previous part.
    ///
    /// - Returns: `false` if there are too many of them.
    private func hold(part bytes: Int, of exchange: Exchange) -> Bool {
        let bytes = bytes > ByteBudget.smallBytes ? bytes : 0
        let held = exchange.responseBytes
        guard bytes <= held || responses.allows(bytes, held: held) else { return false }
        responses.giveBack(held)
        responses.take(bytes)
        exchange.responseBytes = bytes
        return true
    }

    /// Gives back the part of the budget that the response takes.
    func releaseResponse(of exchange: Exchange) {
        guard exchange.responseBytes > 0 else { return }
        responses.giveBack(exchange.responseBytes)
        freed(exchange.responseBytes)
        exchange.responseBytes = 0
    }

    func responseRanDry(_ exchange: Exchange) -> Bool {
        guard let stream = exchange.streamedResponse, exchange.machine.responseRanDry() else { return false }
        // Until the first part comes, the response holds the bytes that were announced for it.
        if stream.sentBytes > 0 { releaseResponse(of: exchange) }
        MHD_suspend_connection(exchange.handle)
        startSoon(exchange) { [next = stream.source.next] in
            do {
                return .part(exchange, .success(try await next()))
            } catch {
                return .part(exchange, .failure(error))
            }
        }
        return true
    }

    func partArrived(_ part: Result<[UInt8]?, any Error>, for exchange: Exchange) {
        exchange.task = nil
        guard !exchange.machine.isOver else { return }
        if case .failure(let error) = part, !(error is CancellationError) {
            logger.error("Streamed response failed", metadata: ["error": "\(error)"])
        }
        if case .success(let bytes?) = part, !hold(part: bytes.count, of: exchange) {
            warnOfCut()
            exchange.streamedResponse?.give(.failure(PartRefused()))
        } else {
            exchange.streamedResponse?.give(part)
        }
        guard exchange.machine.responseFlows() else { return }
        MHD_resume_connection(exchange.handle)
    }

    private func warnOfCut() {
        guard let occurrences = cutWarnings.occurred(at: .now) else { return }
        logger.warning(
            "Response cut off: the server has reached its memory limit for responses that clients have not read yet",
            metadata: ["occurrences": .stringConvertible(occurrences)])
    }
}

/// The end of a streamed response whose next part would exceed the memory for responses.
private struct PartRefused: Error {}
