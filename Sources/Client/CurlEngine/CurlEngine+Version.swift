import CErrandCurl

extension CurlEngine {
    /// The version of libcurl and its dependencies as libcurl reports them: `libcurl/7.88.1 OpenSSL/3.0 …`.
    public static var libraryVersion: String {
        curl_version().map { String(cString: $0) } ?? "unknown"
    }
}
