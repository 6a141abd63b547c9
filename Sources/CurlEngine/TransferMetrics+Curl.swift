import CCurl
import Transfer

extension TransferMetrics {
    /// What libcurl measured of the transfer that `easy` runs or ran.
    ///
    /// - Parameters:
    ///   - easy: The handle, still holding that transfer.
    ///   - offset: How long after the start of the transfer the handle was added.
    ///   - isInline: Whether the content went along with the head, as a part of which libcurl then counts it.
    init(of easy: OpaquePointer, offset: Duration, isInline: Bool) {
        self.init()
        var measured = ccurl_measurements()
        ccurl_measure(easy, &measured)
        func since(_ microseconds: curl_off_t) -> Duration? {
            microseconds > 0 ? offset + .microseconds(microseconds) : nil
        }
        let isSent = measured.request_bytes > 0
        connectionReused = isSent && measured.new_connections == 0
        if !connectionReused {
            nameLookup = since(measured.name_lookup)
            connect = since(measured.connect)
            tlsHandshake = since(measured.tls_handshake)
        }
        if isSent { requestSent = since(measured.pre_transfer) }
        firstByte = since(measured.start_transfer)
        bytesSent = Int64(measured.request_bytes + (isInline ? 0 : measured.uploaded))
        bytesReceived = Int64(measured.header_bytes + measured.downloaded)
        httpVersion = Self.version(measured.http_version)
        if let address = measured.address, address.pointee != 0 {
            let text = String(cString: address)
            remoteAddress =
                text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]:\(measured.port)" : "\(text):\(measured.port)"
        }
    }

    /// libcurl's numbers for versions of HTTP, `CURL_HTTP_VERSION_…`.
    private static func version(_ number: Int) -> String? {
        switch number {
        case 1: "1.0"
        case 2: "1.1"
        case 3: "2"
        case 30: "3"
        default: nil
        }
    }
}
