import CErrandCurl
import CErrandHTTP2Streams

/// The global state of libcurl.
enum CurlGlobal {
    /// The result of the process-wide initialisation.
    ///
    /// It is never undone, because resolver threads may outlive every engine.
    static let initialization: CURLcode = curl_global_init(ccurl_GLOBAL_DEFAULT)

    /// A Boolean value that indicates whether a second transfer on an HTTP/2 connection without TLS fails (code 16), as
    /// in libcurl 7.88: https://github.com/curl/curl/pull/10643.
    static let breaksReusedCleartextHTTP2 = is788

    /// A Boolean value that indicates whether the ends and resets of HTTP/2 streams are passed to their transfers, because
    /// libcurl 7.88 discards a response if its stream is reset with `NO_ERROR` after it.
    static let handlesStreams = is788 && chttp2streams_are_handled() == 1

    private static let is788 = (0x07_58_00..<0x08_00_00).contains(ccurl_version())
}

/// An error code that libcurl returned.
struct CurlFailure: Error {
    /// The code that libcurl returned.
    let code: CURLcode

    /// Throws if `code` is not `CURLE_OK`.
    static func check(_ code: CURLcode) throws(CurlFailure) {
        guard code == CURLE_OK else { throw CurlFailure(code: code) }
    }

    /// Throws if `code` is not `CURLM_OK`.
    static func check(_ code: CURLMcode) throws(CurlFailure) {
        guard code != CURLM_OK else { return }
        throw CurlFailure(code: code == CURLM_OUT_OF_MEMORY ? CURLE_OUT_OF_MEMORY : CURLE_FAILED_INIT)
    }
}

extension CurlEngine {
    /// The version of libcurl and its dependencies as libcurl reports them: `libcurl/7.88.1 OpenSSL/3.0 …`.
    public static var libraryVersion: String {
        curl_version().map { String(cString: $0) } ?? "unknown"
    }
}
