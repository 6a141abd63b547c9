import CCurl
import Transfer

/// Owns a `CURLU`: the URL that a handle dials, set from one that was judged.
struct CurlURL: ~Copyable {
    let handle: OpaquePointer
    private var current: HTTPURL?

    init() throws(CurlFailure) {
        guard let handle = curl_url() else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        self.handle = handle
    }

    deinit {
        curl_url_cleanup(handle)
    }

    /// Sets the URL, as it is: nothing is left for libcurl to normalise.
    ///
    /// The same one again costs nothing.
    mutating func set(_ url: HTTPURL) throws(CurlFailure) {
        guard current != url else { return }
        current = nil
        let flags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
        guard curl_url_set(handle, CURLUPART_URL, url.string, flags) == CURLUE_OK else {
            throw CurlFailure(code: CURLE_URL_MALFORMAT)
        }
        current = url
    }
}
