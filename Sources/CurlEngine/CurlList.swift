import CCurl

/// Owns a `curl_slist`.
///
/// It must outlive the handle that it is given to, or another one be given first.
struct CurlList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init() {}

    deinit {
        curl_slist_free_all(head)
    }

    /// Adds a copy of a string that ends in a zero byte.
    mutating func append(terminated bytes: borrowing [UInt8]) throws(CurlFailure) {
        let extended = bytes.withUnsafeBytes { bytes in
            curl_slist_append(head, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        guard let extended else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        head = extended
    }

    /// Adds a string.
    mutating func append(_ string: String) throws(CurlFailure) {
        guard let extended = curl_slist_append(head, string) else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
        head = extended
    }
}
