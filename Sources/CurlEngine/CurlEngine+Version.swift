import CCurl

extension CurlEngine {
    /// The version of libcurl and of what it was built with, as it says itself: `libcurl/7.88.1 OpenSSL/3.0 …`.
    public static var libraryVersion: String {
        curl_version().map { String(cString: $0) } ?? "unknown"
    }
}
