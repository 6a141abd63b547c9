import CCurl

/// libcurl as a whole.
enum CurlGlobal {
    /// The result of the one initialisation of the process.
    ///
    /// It is never undone: threads of resolvers may outlive all.
    static let initialization: CURLcode = curl_global_init(ccurl_GLOBAL_DEFAULT)

    /// Whether a second transfer on a connection that speaks HTTP/2 without TLS fails (code 16), as it does in 7.88:
    /// https://github.com/curl/curl/pull/10643.
    static let breaksReusedCleartextHTTP2: Bool = {
        let version = ccurl_version()
        return (0x07_58_00..<0x08_00_00).contains(version)
    }()
}

/// libcurl has refused something.
struct CurlFailure: Error {
    /// Its code.
    let code: CURLcode

    /// Throws what is not `CURLE_OK`.
    static func check(_ code: CURLcode) throws(CurlFailure) {
        guard code == CURLE_OK else { throw CurlFailure(code: code) }
    }

    /// Throws what is not `CURLM_OK`.
    static func check(_ code: CURLMcode) throws(CurlFailure) {
        guard code != CURLM_OK else { return }
        throw CurlFailure(code: code == CURLM_OUT_OF_MEMORY ? CURLE_OUT_OF_MEMORY : CURLE_FAILED_INIT)
    }
}
