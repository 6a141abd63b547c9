import CErrandCurl
import CErrandOpenSSL
import ErrandTransfer
import HTTPTypes
import Synchronization

/// The state of an HTTP/2 connection that a request was sent over.
///
/// Used on the loop's thread only. Over TLS, all transfers of the connection share it.
final class HTTP2Connection {
    /// The last stream that the peer has processed or may process, from its GOAWAY (RFC 9113 §6.8); `nil` without one.
    private(set) var lastStream: Int?
    /// The connection's socket if known for certain.
    private(set) var socket: OpenedSocket?
    /// A Boolean value that indicates whether libcurl kept the connection, or closed it only to have fewer idle ones.
    ///
    /// Either implies that each stream had ended.
    fileprivate var wasReusable = false

    fileprivate func didOpen(_ sockets: [OpenedSocket]) {
        guard sockets.count == 1, socket == nil else { return }
        socket = sockets[0]
    }

    fileprivate func willEnd(after stream: Int) {
        lastStream = min(lastStream ?? .max, stream)
    }
}

/// The HTTP/2 stream that a transfer uses.
struct HTTP2Stream {
    /// The connection of the stream.
    let connection: HTTP2Connection
    /// A Boolean value that indicates whether the transfer made the connection.
    let isFirst: Bool
    /// The stream's number; `nil` until libcurl reports it.
    var number: Int?
    /// A Boolean value that indicates whether the last frame of the response has arrived.
    var hasResponse = false
    /// A Boolean value that indicates whether the peer has reset the stream with `NO_ERROR`.
    var wasReset = false
    /// A Boolean value that indicates whether libnghttp2 has terminated the connection, because the peer violated HTTP/2.
    var wasTerminated = false
}

// MARK: - Requests that were not processed

extension CurlTransfer {
    /// Records the HTTP/2 stream that the request is about to be sent over, if any.
    ///
    /// - Parameter sockets: The sockets that the transfer has opened for the request.
    func noteStream(opened sockets: [OpenedSocket]) {
        stream = nil
        guard let easy, easy.options.connection.version != .http1 else { return }
        let connection: HTTP2Connection
        if request.url.scheme == .https {
            guard let handshake = attempt.handshake, let tls = easy.tlsConnection, Self.speaksHTTP2(tls) else { return }
            connection = handshake.http2 ?? HTTP2Connection()
            handshake.http2 = connection
        } else {
            guard easy.options.connection.version == .http2 else { return }
            connection = HTTP2Connection()
        }
        // Those of the addresses that were not chosen are closed.
        connection.didOpen(sockets.filter { easy.events.isOpen($0.number, identity: $0.identity) })
        connection.wasReusable = false
        stream = HTTP2Stream(connection: connection, isFirst: !sockets.isEmpty)
        easy.listen()
        if ignoresLength { easy.ignoreLength() }
    }

    /// A Boolean value that indicates whether only the end of the stream ends the response for libcurl.
    ///
    /// libcurl 7.88 stops reading for a transfer when the response has its declared length. If the peer's flow control
    /// does not allow more of the request, nothing reads the frames that do, or the reset. libnghttp2 checks the length.
    private var ignoresLength: Bool { stream != nil && contentLength != 0 && CurlGlobal.handlesStreams }

    /// Records what libcurl tells about the connection and the stream.
    func didHear(_ message: CurlMessage) {
        switch message {
        case .hostWasFound:
            attempt.hasUnseenLookup = false
            // The rest of the transfer is described only to one that has a stream.
            easy?.stopListening()
        case .stream(let number): stream?.number = number
        case .goAway(let last): stream?.connection.willEnd(after: last)
        case .connectionWasReusable: stream?.connection.wasReusable = true
        }
    }

    /// Returns whether the peer has indicated that it did not process the request (RFC 9113 §8.7): it was closing the
    /// connection or refused the stream.
    ///
    /// - Parameter isResent: True if libcurl is about to send the request again. libcurl resends on HTTP/2 if the
    ///   stream was refused or if a reused connection has died; the latter shows in its error text or in the state of
    ///   the socket.
    func wasNotProcessed(isResent: Bool) -> Bool {
        guard head == nil, let stream, let easy else { return false }
        if let last = stream.connection.lastStream, let number = stream.number, number > last { return true }
        guard isResent, !easy.hasErrorText else { return false }
        guard !stream.isFirst else { return true }
        return stream.connection.socket.map { easy.events.isAlive($0.number, identity: $0.identity) } ?? false
    }

    /// A Boolean value that indicates whether the connection or the stream was ended before the end of the response.
    ///
    /// If the peer violates HTTP/2, libnghttp2 ends the connection, and libcurl 7.88 reports the responses that were
    /// under way as complete. Only their length would tell, if there is one. Otherwise the closing itself is the sign:
    /// libcurl has closed a connection that the peer had neither closed nor announced to close (GOAWAY). Not known
    /// without TLS if libcurl closes each connection after its response; see ``CurlGlobal/breaksReusedCleartextHTTP2``.
    ///
    /// libcurl also reports a response as complete if the peer has reset its stream with `NO_ERROR` before the end.
    var wasCut: Bool {
        if let stream, !stream.hasResponse {
            if stream.wasReset || stream.wasTerminated { return true }
            if ignoresLength, let head, !isWithoutContent(head) { return true }
        }
        guard let easy, dependsOnStream else { return false }
        return easy.events.hasClosed(localPort: Int(ccurl_transfer_port(easy.handle)))
    }

    /// The socket of the connection, if the response has to be judged by its closing and it is still open.
    ///
    /// libcurl closes it when it has reported the last of the responses under way, and reports each of the others only
    /// when the socket is ready.
    var socketToCheck: Int32? {
        guard let easy, dependsOnStream, let socket = stream?.connection.socket else { return nil }
        return easy.events.isOpen(socket.number, identity: socket.identity) ? socket.number : nil
    }

    /// A Boolean value that indicates whether only the end of its stream shows that the response is complete.
    private var dependsOnStream: Bool {
        guard let stream, let easy, let head, announcedOnWire.load(ordering: .relaxed) < 0 else { return false }
        return !easy.ownsConnection && stream.connection.lastStream == nil && !stream.connection.wasReusable
            && request.method != .head && head.status != 204 && head.status != 304
    }

    /// Tells the peer at once that the response is not wanted any more.
    ///
    /// libcurl 7.88 resets the stream of a transfer that is removed or refuses content, but keeps the frame until it next
    /// sends something on the connection.
    func resetStream() {
        guard stream != nil, CurlGlobal.handlesStreams else { return }
        easy?.resetStream()
    }

    /// Returns whether ALPN (RFC 7301) selected HTTP/2.
    private static func speaksHTTP2(_ connection: OpaquePointer) -> Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(connection, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }
}
