import CCurl
import Transfer

/// The options of a session together with what libcurl keeps pointers to.
final class SessionOptions {
    let connection: ConnectionOptions
    /// Connections are made and not used.
    let isForProbes: Bool
    let fixedAddresses: FixedAddressList

    init(_ connection: ConnectionOptions, isForProbes: Bool) throws(CurlFailure) {
        self.connection = connection
        self.isForProbes = isForProbes
        fixedAddresses = try FixedAddressList(connection.fixedAddresses)
    }

    /// Whether a request for `url` is read, and may be answered, by a proxy, rather than passed through a tunnel.
    ///
    /// libcurl takes a proxy without a scheme for one that speaks HTTP.
    func goesToProxy(_ url: HTTPURL) -> Bool {
        guard url.scheme == .http, let proxy = connection.proxy, !proxy.isEmpty else { return false }
        return !proxy.lowercased().hasPrefix("socks")
    }

    /// Whether a transfer to `url` waits for a connection that is being made, because it may become a stream of it.
    ///
    /// Only where the making of the connection tells whether it carries many. Without TLS, HTTP/1.1 is known from the
    /// first answer, however long that takes to come: nobody can wait for it.
    func waitsForConnection(to url: HTTPURL) -> Bool {
        guard !isForProbes else { return false }
        return switch connection.version {
        case .automatic: url.scheme == .https
        case .http1: false
        case .http2: true
        }
    }
}

/// Fixed addresses in the form of `CURLOPT_RESOLVE`: `host:port:address[,address]…`.
final class FixedAddressList {
    private var list = CurlList()

    init(_ entries: [FixedAddress]) throws(CurlFailure) {
        for entry in entries {
            try list.append("\(entry.host):\(entry.port):\(entry.addresses.joined(separator: ","))")
        }
    }

    var head: UnsafeMutablePointer<curl_slist>? { list.head }
}
