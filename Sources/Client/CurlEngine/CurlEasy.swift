import CErrandCurl
import CErrandHTTP2Streams
import ErrandTransfer
import Glibc

/// Owns a `CURL` handle and the memory it points to; made for one transfer and never reused.
///
/// Used on the loop's thread only.
///
/// A reused handle keeps state that `curl_easy_reset` does not clear: in libcurl 7.88 the last header field of the
/// previous response (`prevhead`), which is freed and yet read if the next response begins with a folded line; TLS
/// sessions, which are resumed without a new verdict; and the state of proxy authentication and of a refused HTTP/2
/// stream. A new handle costs less than a microsecond and has none of it. Transfers of a session still share
/// connections and resolved addresses (for a minute), which belong to the multi handle.
final class CurlEasy {
    let handle: OpaquePointer
    /// The transfer that the handle runs; `nil` after it was detached.
    var transfer: CurlTransfer?
    /// A Boolean value that indicates whether the transfer waits for a connection being made, to become a stream of it.
    let waitsForConnection: Bool
    /// A Boolean value that indicates whether the transfer has a connection of its own, which is closed after it.
    let ownsConnection: Bool

    /// The options and strings that the handle points to.
    let options: SessionOptions
    let events: MultiEvents
    private let url: DialledURL
    private let headers: HeaderList
    /// The buffer in which libcurl writes a zero-terminated description of a failure.
    private let errorText: UnsafeMutablePointer<CChar>
    /// The directions that were paused by the last call of ``pause(_:)``.
    private var paused: TransferDirections = []

    /// Creates a handle configured for the transfer.
    init(
        for transfer: CurlTransfer, options: SessionOptions, events: MultiEvents, url: DialledURL, headers: HeaderList
    ) throws(CurlFailure) {
        guard let handle = curl_easy_init() else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        self.handle = handle
        self.options = options
        self.events = events
        self.url = url
        self.headers = headers
        errorText = .allocate(capacity: Int(ccurl_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(ccurl_ERROR_SIZE))
        self.transfer = transfer
        waitsForConnection = transfer.mayWaitForConnection && options.waitsForConnection(to: transfer.request.url)
        ownsConnection = transfer.needsOwnConnection || options.ownsConnection(to: transfer.request.url)
        // If an error is thrown from here on, deinit frees the handle.
        let settings = CurlOptions(handle: handle)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try settings.setBehaviour()
        try settings.setErrorText(errorText)
        try settings.setCallbacks(easy: context, multi: Unmanaged.passUnretained(events).toOpaque())
        try settings.setConnection(options.connection)
        if let list = try options.fixedAddresses.list(for: transfer.request.url) {
            try settings.setFixedAddresses(list)
        }
        try settings.setTLS(options.connection.tls, easy: context)
        if options.isForProbes { try settings.setProbe() }
        try setRequest(transfer.request, source: transfer.source, settings)
    }

    deinit {
        curl_easy_cleanup(handle)
        errorText.deallocate()
    }

    private func setRequest(
        _ request: TransferRequest, source: (any BodySource)?, _ settings: CurlOptions
    ) throws(CurlFailure) {
        try settings.setURL(url)
        try settings.setHeaders(headers)
        try settings.setWaitsForConnection(waitsForConnection)
        try settings.setOwnConnection(ownsConnection)
        try settings.setConnectTimeout(request.timeouts.connect)
        let shape = MessageShape(request, source: source)
        try settings.setMessage(shape, content: source == nil ? request.body.bytes : nil)
    }

    /// Pauses `directions` and resumes the others.
    ///
    /// libcurl may invoke callbacks before this returns, which may pause more.
    ///
    /// The peer of an HTTP/2 stream may send more only when the transfer has taken all that libcurl has kept for it.
    /// libcurl itself would permit that before it offers what it has kept.
    func pause(_ directions: TransferDirections) -> CURLcode {
        paused = directions
        guard !directions.contains(.receive) else { return setPaused(directions) }
        chttp2streams_withhold_windows()
        let code = setPaused(directions)
        let isWithheld = chttp2streams_stop_withholding() == 1
        // If a callback has paused the transfer, a later call resumes it, with its window.
        guard code == CURLE_OK, isWithheld, paused == directions else { return code }
        // Nothing is kept, so this invokes no callback for content.
        let again = setPaused(directions.union(.receive))
        return again == CURLE_OK ? setPaused(directions) : again
    }

    /// Resets the HTTP/2 stream and sends the frame at once, if the transfer still has the stream.
    ///
    /// The transfer is given up: content that libcurl has kept is refused.
    func resetStream() {
        let owner = transfer
        transfer = nil
        defer { transfer = owner }
        chttp2streams_reset_streams(1)
        // libcurl sets the window of the stream, and sends, when the pauses change and receiving is not paused. At least
        // the second call is a change. A refusal means that the transfer has no connection or that content was refused.
        _ = setPaused(.send)
        _ = setPaused([])
        chttp2streams_reset_streams(0)
    }

    private func setPaused(_ directions: TransferDirections) -> CURLcode {
        var bits: Int32 = 0
        if directions.contains(.receive) { bits |= ccurl_PAUSE_RECEIVE }
        if directions.contains(.send) { bits |= ccurl_PAUSE_SEND }
        return curl_easy_pause(handle, bits)
    }

    /// Enables libcurl's informational messages; see ``CurlTransfer/didHear(_:)``.
    func listen() {
        // Every libcurl supports these options. If they fail, no messages arrive.
        _ = ccurl_set_debug(handle, curlDebug, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Disables the messages again.
    func stopListening() {
        // If this fails, there are more messages.
        _ = ccurl_set_long(handle, CURLOPT_VERBOSE, 0)
    }

    /// Makes libcurl ignore the length that a response declares.
    func ignoreLength() {
        // Every libcurl supports the option. If it fails, the length is used.
        _ = ccurl_set_long(handle, CURLOPT_IGNORE_CONTENT_LENGTH, 1)
    }

    /// A Boolean value that indicates whether libcurl has described a failure.
    var hasErrorText: Bool { errorText[0] != 0 }

    /// Returns whether libcurl has described a failure with exactly this text.
    func isErrorText(_ text: String) -> Bool { strcmp(errorText, text) == 0 }

    /// Returns whether a proxy reads the request for `url` and may answer it.
    func goesToProxy(_ url: HTTPURL) -> Bool { options.goesToProxy(url) }

    /// A Boolean value that indicates whether connections are made to a proxy instead of the host of the URL.
    var hasProxy: Bool { options.hasProxy }

    /// The error number (errno) of the last connection that failed; 0 for none.
    var systemError: Int32 { Int32(truncatingIfNeeded: ccurl_system_error(handle)) }

    /// The OpenSSL connection (`SSL`) that the transfer currently uses, if any.
    var tlsConnection: OpaquePointer? { ccurl_tls_connection(handle).map { OpaquePointer($0) } }

    /// The number of content bytes sent so far.
    var uploaded: Int64 { Int64(ccurl_uploaded(handle)) }
}
