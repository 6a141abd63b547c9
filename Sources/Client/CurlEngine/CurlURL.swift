import CErrandCurl
import ErrandTransfer

/// Owns a `CURLU`: the URL that a handle requests, set from a checked URL.
struct CurlURL: ~Copyable {
    let handle: OpaquePointer

    init() throws(CurlFailure) {
        guard let handle = curl_url() else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        self.handle = handle
    }

    deinit {
        curl_url_cleanup(handle)
    }

    /// Sets the URL as it is; libcurl normalises nothing.
    mutating func set(_ url: HTTPURL) throws(CurlFailure) {
        let flags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
        guard curl_url_set(handle, CURLUPART_URL, url.string, flags) == CURLUE_OK else {
            throw CurlFailure(code: CURLE_URL_MALFORMAT)
        }
    }

    /// Sets the URL of a proxy, parsed by libcurl's rules for proxies.
    ///
    /// - Returns: True if the text is a valid URL.
    mutating func setProxy(_ text: String) -> Bool {
        curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME))
            == CURLUE_OK
    }

    /// Returns a part of the URL, or `nil` if the URL does not have it.
    func part(_ part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

/// The URL of a request as parsed by libcurl; immutable, so that handles may share it.
final class DialledURL {
    /// The URL it was created from.
    let url: HTTPURL
    private let parsed: CurlURL

    init(_ url: HTTPURL) throws(CurlFailure) {
        var parsed = try CurlURL()
        try parsed.set(url)
        self.url = url
        self.parsed = parsed
    }

    /// The underlying `CURLU`.
    var handle: OpaquePointer { parsed.handle }
}
