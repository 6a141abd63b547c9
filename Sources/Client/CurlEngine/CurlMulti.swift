import CErrandCurl
import CErrandHTTP2Streams

/// Owns a `CURLM`: the connections of one session and the transfers that use them.
///
/// Used on the loop's thread only.
final class CurlMulti {
    private let handle: OpaquePointer
    /// The context of the callbacks, which libcurl still calls during the cleanup.
    private let events: MultiEvents

    init(events: MultiEvents) throws(CurlFailure) {
        guard let handle = curl_multi_init() else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        if CurlGlobal.handlesStreams { chttp2streams_handle(curlStreamEvent) }
        self.handle = handle
        self.events = events
        let context = Unmanaged.passUnretained(events).toOpaque()
        try CurlFailure.check(ccurl_multi_set_socket(handle, curlSocketChanged, context))
        try CurlFailure.check(ccurl_multi_set_timer(handle, curlTimerChanged, context))
    }

    /// Closes all connections.
    ///
    /// Every easy handle must have been removed before.
    deinit {
        curl_multi_cleanup(handle)
    }

    func set(_ option: CURLMoption, _ value: Int) throws(CurlFailure) {
        try CurlFailure.check(ccurl_multi_set_long(handle, option, value))
    }

    func add(_ easy: CurlEasy) throws(CurlFailure) {
        try CurlFailure.check(curl_multi_add_handle(handle, easy.handle))
    }

    /// Removes a handle.
    ///
    /// If its transfer is not complete, its connection (with HTTP/2: its stream) is closed.
    func remove(_ easy: CurlEasy) {
        // Fails only for a handle that was not added, which needs no removal.
        _ = curl_multi_remove_handle(handle, easy.handle)
    }

    /// Lets libcurl process a ready socket.
    func socketIsReady(_ socket: Int32, _ events: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(handle, socket, events, &running)
    }

    /// Lets libcurl process its expired timers.
    func timeIsDue() {
        socketIsReady(ccurl_SOCKET_TIMEOUT, 0)
    }

    /// Returns the next completed transfer with its result.
    func nextDone() -> (CurlTransfer, CURLcode)? {
        var result = CURLE_OK
        while let handle = ccurl_multi_next_done(handle, &result) {
            guard let context = ccurl_context(handle) else { continue }
            if let transfer = Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue().transfer {
                return (transfer, result)
            }
        }
        return nil
    }
}
