import CErrandCurl
import ErrandTransfer

extension TransferMetrics {
    /// Reads the metrics that libcurl measured for the transfer of `easy`.
    ///
    /// - Parameters:
    ///   - easy: The handle, with the transfer still attached.
    ///   - offset: The time between the start of the transfer and the adding of the handle.
    ///   - isInline: True if the content was sent along with the head; libcurl then counts it as part of the head.
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

    /// Returns the HTTP version for a libcurl constant `CURL_HTTP_VERSION_…`.
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
