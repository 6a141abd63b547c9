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

    /// Sets the URL of a proxy, read as libcurl reads those.
    ///
    /// - Returns: Whether it is one.
    mutating func setProxy(_ text: String) -> Bool {
        current = nil
        return curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME))
            == CURLUE_OK
    }

    /// A part of the URL, if it has it.
    func part(_ part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
