import CCurl
import Transfer

/// Owns a `CURL` handle with all that it points to, used for one transfer after another of the same session.
///
/// On the loop's thread.
///
/// What does not change within a session is set once; of the rest, what is the same as in the transfer before is left.
final class CurlEasy {
    let handle: OpaquePointer
    /// The transfer that the handle runs.
    var transfer: CurlTransfer?
    /// Whether it waits for a connection that is being made, to become a stream of it.
    private(set) var waitsForConnection = false

    /// What the handle points to for its whole life.
    let options: SessionOptions
    let events: MultiEvents
    private var url: CurlURL
    private var headers: RequestHeaders?
    private var headerList = CurlList()
    private var message: MessageShape?
    private var connectTimeout: Duration?
    private var hasOwnConnection = false
    private var acceptsCompression: Bool?

    init(options: SessionOptions, events: MultiEvents) throws(CurlFailure) {
        guard let handle = curl_easy_init() else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        self.handle = handle
        self.options = options
        self.events = events
        do {
            url = try CurlURL()
        } catch {
            curl_easy_cleanup(handle)
            throw error
        }
        let settings = CurlOptions(handle: handle)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try settings.setBehaviour()
        try settings.setCallbacks(easy: context, multi: Unmanaged.passUnretained(events).toOpaque())
        try settings.setConnection(options.connection)
        try settings.setFixedAddresses(options.fixedAddresses)
        try settings.setTLS(options.connection.tls, easy: context)
        try settings.setURL(url.handle)
        if options.isForProbes { try settings.setProbe() }
    }

    deinit {
        curl_easy_cleanup(handle)
    }

    /// Sets all that the next transfer needs.
    func prepare(_ transfer: CurlTransfer) throws(CurlFailure) {
        let (request, source) = (transfer.request, transfer.source)
        let settings = CurlOptions(handle: handle)
        try url.set(request.url)
        try setHeaders(RequestHeaders(request), settings)
        let needsOwnConnection =
            options.isForProbes
            || options.connection.version == .http2 && request.url.scheme == .http
                && CurlGlobal.breaksReusedCleartextHTTP2
        let waits = transfer.mayWaitForConnection && options.waitsForConnection(to: request.url)
        if waitsForConnection != waits {
            try settings.setWaitsForConnection(waits)
            waitsForConnection = waits
        }
        if hasOwnConnection != needsOwnConnection {
            try settings.setOwnConnection(needsOwnConnection)
            hasOwnConnection = needsOwnConnection
        }
        if acceptsCompression != request.acceptsCompression {
            try settings.setCompression(request.acceptsCompression)
            acceptsCompression = request.acceptsCompression
        }
        if connectTimeout != request.timeouts.connect {
            try settings.setConnectTimeout(request.timeouts.connect)
            connectTimeout = request.timeouts.connect
        }
        let shape = MessageShape(request, source: source)
        // A shape with content in it is never the same: the handle has its own copy of the bytes.
        if shape != message || shape.hasContent {
            message = nil
            try settings.setMessage(shape, content: source == nil ? request.body.bytes : nil)
            message = shape
        }
    }

    private func setHeaders(_ wanted: RequestHeaders, _ settings: CurlOptions) throws(CurlFailure) {
        if let headers, headers.isSame(as: wanted) { return }
        headers = nil
        let list = try wanted.list()
        try settings.setHeaders(list)
        // Only now: the handle no longer points to the old one.
        headerList = list
        headers = wanted
    }

    /// Holds `directions` and lets the others go.
    ///
    /// libcurl may call back before this returns.
    func hold(_ directions: TransferDirections) -> CURLcode {
        var bits: Int32 = 0
        if directions.contains(.receive) { bits |= ccurl_PAUSE_RECEIVE }
        if directions.contains(.send) { bits |= ccurl_PAUSE_SEND }
        return curl_easy_pause(handle, bits)
    }

    /// Whether a request for `url` is read, and may be answered, by a proxy.
    func goesToProxy(_ url: HTTPURL) -> Bool { options.goesToProxy(url) }

    /// OpenSSL's connection (`SSL`) that the transfer uses now, if it uses one.
    var tlsConnection: OpaquePointer? { ccurl_tls_connection(handle).map { OpaquePointer($0) } }

    /// Bytes of content that have been sent so far.
    var uploaded: Int64 { Int64(ccurl_uploaded(handle)) }
}
