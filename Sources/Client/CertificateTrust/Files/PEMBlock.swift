import CErrandOpenSSL

/// A block of a PEM file (RFC 7468).
struct PEMBlock {
    /// The label, such as `CERTIFICATE`.
    var label: String
    /// The decoded content.
    var bytes: [UInt8]

    /// Returns whether a file consists of PEM blocks.
    static func isPEM(_ file: [UInt8]) -> Bool {
        file.firstRange(of: Array("-----BEGIN ".utf8)) != nil
    }

    /// Returns the blocks with the given labels in their order; other blocks and the text around them are skipped.
    ///
    /// - Throws: ``CertificateError`` if any block is malformed.
    static func read(_ file: [UInt8], labels: Set<String>) throws(CertificateError) -> [PEMBlock] {
        let result: Result<[PEMBlock], CertificateError> = ErrorQueue.preserving {
            file.withUnsafeBytes { bytes in
                guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
                    return .failure(.outOfMemory)
                }
                defer { BIO_free(source) }
                return blocks(of: source, labels: labels)
            }
        }
        return try result.get()
    }

    private static func blocks(of source: OpaquePointer, labels: Set<String>) -> Result<[PEMBlock], CertificateError> {
        var blocks: [PEMBlock] = []
        while true {
            var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
            var data: UnsafeMutablePointer<UInt8>?
            var count = 0
            guard PEM_read_bio(source, &name, &header, &data, &count) == 1, let name else {
                let isAtEnd = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
                return isAtEnd ? .success(blocks) : .failure(CertificateError(.malformed, "A PEM block is malformed"))
            }
            let label = String(cString: name)
            if labels.contains(label) {
                blocks.append(PEMBlock(label: label, bytes: [UInt8](UnsafeBufferPointer(start: data, count: count))))
            }
            copenssl_free(name)
            copenssl_free(header)
            // The block may be a private key, so it is overwritten.
            copenssl_clear_free(data, count)
        }
    }
}
