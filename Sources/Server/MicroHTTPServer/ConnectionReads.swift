import CErrandGnuTLS
import CErrandServerReads
import Glibc

/// A filter that validates received bytes on a thread before libmicrohttpd parses them.
///
/// libmicrohttpd parses leniently, hides its repairs (a lone LF, a folded line, a NUL, an empty field name), and has no
/// hook for the bytes that it receives.
final class ConnectionReads {
    private let receiver: UnsafeMutablePointer<cserverreads_receiver>

    /// True if libmicrohttpd's reads pass through this filter in this process.
    static var areJudged: Bool { cserverreads_are_in_force() != 0 }

    /// Filters the reads of the calling thread, which runs `loop`, until ``stop()``.
    init(of loop: ServerLoop) {
        receiver = .allocate(capacity: 1)
        receiver.initialize(
            to: cserverreads_receiver(
                context: Unmanaged.passUnretained(loop).toOpaque(), receive: receiveBytes,
                receive_record: receiveRecord))
        cserverreads_set_receiver(receiver)
    }

    /// Ends the filter; call it on the same thread.
    func stop() {
        cserverreads_set_receiver(nil)
    }

    deinit {
        receiver.deallocate()
    }
}

/// Called when libmicrohttpd, or GnuTLS below it, receives from a socket.
private nonisolated func receiveBytes(
    _ context: UnsafeMutableRawPointer?, _ socket: Int32, _ buffer: UnsafeMutableRawPointer?, _ size: Int,
    _ flags: Int32
) -> Int {
    guard let connection = serverLoop(context)?.connection(of: socket), !connection.isEncrypted else {
        return cserverreads_receive(socket, buffer, size, flags)
    }
    switch connection.readBlock {
    case .ended: return 0
    case .refused: return wouldBlock()
    case nil: break
    }
    let count = cserverreads_receive(socket, buffer, size, flags)
    // libmicrohttpd 0.9.75 reads from a connection that it resumes, also when it has the whole request, and closes the
    // connection without a response if nothing can follow. The loop learns of the end by itself.
    if count == 0, connection.hasWholeRequest { return wouldBlock() }
    guard count > 0 else { return count }
    let admitted = connection.judge(UnsafeRawBufferPointer(start: buffer, count: count))
    return admitted > 0 ? admitted : wouldBlock()
}

private nonisolated func wouldBlock() -> Int {
    errno = EAGAIN
    return -1
}

/// Called when libmicrohttpd receives the decrypted bytes of a TLS session.
private nonisolated func receiveRecord(
    _ context: UnsafeMutableRawPointer?, _ session: UnsafeMutableRawPointer?, _ buffer: UnsafeMutableRawPointer?,
    _ size: Int
) -> Int {
    guard let session, let connection = serverLoop(context)?.connection(of: gnutls_transport_get_int(.init(session)))
    else { return cserverreads_receive_record(session, buffer, size) }
    switch connection.readBlock {
    case .ended: return 0
    case .refused: return Int(GNUTLS_E_AGAIN)
    case nil: break
    }
    let count = cserverreads_receive_record(session, buffer, size)
    // As for plain bytes: its client may wait for the response to the request that has arrived as a whole.
    if count == 0, connection.hasWholeRequest { return Int(GNUTLS_E_AGAIN) }
    guard count > 0 else { return count }
    let admitted = connection.judge(UnsafeRawBufferPointer(start: buffer, count: count))
    return admitted > 0 ? admitted : Int(GNUTLS_E_AGAIN)
}

private nonisolated func serverLoop(_ context: UnsafeMutableRawPointer?) -> ServerLoop? {
    context.map { Unmanaged<ServerLoop>.fromOpaque($0).takeUnretainedValue() }
}
