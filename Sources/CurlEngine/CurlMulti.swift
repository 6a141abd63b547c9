import CCurl

/// Owns a `CURLM`: the connections of one session and the transfers that use them.
///
/// On the loop's thread.
final class CurlMulti {
    private let handle: OpaquePointer
    /// The context of the callbacks, which the last of them, during the clean-up, still needs.
    private let events: MultiEvents

    init(events: MultiEvents) throws(CurlFailure) {
        guard let handle = curl_multi_init() else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        self.handle = handle
        self.events = events
        let context = Unmanaged.passUnretained(events).toOpaque()
        try CurlFailure.check(ccurl_multi_set_socket(handle, curlSocketChanged, context))
        try CurlFailure.check(ccurl_multi_set_timer(handle, curlTimerChanged, context))
    }

    /// Closes all connections.
    ///
    /// Every handle has been removed before.
    deinit {
        curl_multi_cleanup(handle)
    }

    func set(_ option: CURLMoption, _ value: Int) throws(CurlFailure) {
        try CurlFailure.check(ccurl_multi_set_long(handle, option, value))
    }

    func add(_ easy: CurlEasy) throws(CurlFailure) {
        try CurlFailure.check(curl_multi_add_handle(handle, easy.handle))
    }

    /// Takes a handle back.
    ///
    /// If its transfer is not done, its connection (HTTP/2: its stream) is closed.
    func remove(_ easy: CurlEasy) {
        // Fails for a handle that is not in only, and then there is nothing to take back.
        _ = curl_multi_remove_handle(handle, easy.handle)
    }

    /// Lets libcurl work on a socket that is ready.
    func socketIsReady(_ socket: Int32, _ events: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(handle, socket, events, &running)
    }

    /// Lets libcurl work on what has become due.
    func timeIsDue() {
        socketIsReady(ccurl_SOCKET_TIMEOUT, 0)
    }

    /// The next transfer that is done, with its result.
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
