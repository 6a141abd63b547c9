import CErrandMicroHTTPD
import Glibc

// The callbacks of libmicrohttpd, always on the server's thread: decode, one call, encode. They are named functions,
// because a closure would inherit the isolation of its context.

/// Called after the request line; the target is still unchanged.
///
/// The later calls about this request get the exchange that is returned here, until ``completeRequest``, which releases
/// it.
nonisolated func beginRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let loop = serverLoop(context), let connection else { return nil }
    return loop.beginExchange(target: target, handle: connection).map { Unmanaged.passRetained($0).toOpaque() }
}

/// Called after the head, after each part of the content, and when the request is complete.
nonisolated func accessRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ content: UnsafePointer<CChar>?,
    _ contentSize: UnsafeMutablePointer<Int>?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let loop = serverLoop(context), let request = request?.pointee, let method, let version, let contentSize
    else { return .NO }
    let exchange = Unmanaged<Exchange>.fromOpaque(request).takeUnretainedValue()
    let goesOn: Bool
    if exchange.machine.awaitsHead {
        goesOn = loop.headArrived(exchange, method: method, isHTTP10: strcmp(version, "HTTP/1.0") == 0)
    } else if contentSize.pointee > 0 {
        let bytes = UnsafeRawBufferPointer(start: content, count: contentSize.pointee)
        let (taken, open) = loop.contentArrived(exchange, bytes: bytes)
        if taken {
            contentSize.pointee = 0
        }
        goesOn = open
    } else {
        goesOn = loop.requestCompleted(exchange)
    }
    return goesOn ? .YES : .NO
}

/// Called when the request is over, with or without a response.
nonisolated func completeRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
    guard let loop = serverLoop(context), let pointer = request?.pointee else { return }
    request?.pointee = nil
    loop.endExchange(
        Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue(),
        isComplete: reason == .REQUEST_TERMINATED_COMPLETED_OK)
}

/// Called when a connection has begun, and before it is closed.
nonisolated func noteConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_ConnectionNotificationCode
) {
    guard let loop = serverLoop(context), let connection else { return }
    switch code {
    case .CONNECTION_NOTIFY_STARTED:
        socketContext?.pointee = Unmanaged.passRetained(loop.connectionBegan(connection)).toOpaque()
    default:
        guard let pointer = socketContext?.pointee else { return }
        socketContext?.pointee = nil
        loop.connectionEnds(Unmanaged<ServerConnection>.fromOpaque(pointer).takeRetainedValue())
    }
}

/// Called for each header field of a request.
nonisolated func collectField(
    _ collector: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameSize: Int,
    _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let collector else { return .NO }
    collector.assumingMemoryBound(to: HeadCollector.self).pointee.add(
        name: UnsafeRawBufferPointer(start: name, count: nameSize),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize))
    return .YES
}

/// Called when libmicrohttpd wants bytes of a streamed response.
nonisolated func readStreamedResponse(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let context, let buffer else { return cmicrohttpd_end_with_error }
    let stream = Unmanaged<StreamedResponse>.fromOpaque(context).takeUnretainedValue()
    switch stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size)) {
    case .bytes(let count):
        return count
    case .end:
        return cmicrohttpd_end_of_stream
    case .failure:
        return cmicrohttpd_end_with_error
    case .dry:
        guard let exchange = stream.exchange, exchange.loop.responseRanDry(exchange) else {
            return cmicrohttpd_end_with_error
        }
        return 0
    }
}

/// The reader of content that is not sent, which libmicrohttpd therefore never calls.
nonisolated func readNothing(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    cmicrohttpd_end_with_error
}

/// Called when libmicrohttpd has finished with a streamed response.
nonisolated func releaseStreamedResponse(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<StreamedResponse>.fromOpaque(context).release()
}

/// Logs a message of libmicrohttpd.
///
/// Most messages are about misbehaving clients.
nonisolated func logMessage(
    _ context: UnsafeMutableRawPointer?, _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) {
    guard let loop = serverLoop(context), let format, let arguments else { return }
    let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer -> String in
        guard let start = buffer.baseAddress, vsnprintf(start, buffer.count, format, arguments) >= 0 else { return "" }
        return String(cString: start)
    }
    loop.logLibrary(text)
}

private nonisolated func serverLoop(_ context: UnsafeMutableRawPointer?) -> ServerLoop? {
    context.map { Unmanaged<ServerLoop>.fromOpaque($0).takeUnretainedValue() }
}
