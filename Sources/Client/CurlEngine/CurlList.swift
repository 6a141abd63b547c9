import CErrandCurl

/// Owns a `curl_slist`.
///
/// It must outlive the handle that points to it, unless the handle is given another list first.
struct CurlList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init() {}

    deinit {
        curl_slist_free_all(head)
    }

    /// Appends a copy of a zero-terminated string.
    mutating func append(terminated bytes: borrowing [UInt8]) throws(CurlFailure) {
        let extended = bytes.withUnsafeBytes { bytes in
            curl_slist_append(head, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        guard let extended else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        head = extended
    }

    /// Appends a string.
    mutating func append(_ string: String) throws(CurlFailure) {
        guard let extended = curl_slist_append(head, string) else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        head = extended
    }
}
