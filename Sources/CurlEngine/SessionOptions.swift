import CCurl
import Transfer

/// The options of a session together with what libcurl keeps pointers to.
final class SessionOptions {
    let connection: ConnectionOptions
    let fixedAddresses: FixedAddressList

    init(_ connection: ConnectionOptions) throws(CurlFailure) {
        self.connection = connection
        fixedAddresses = try FixedAddressList(connection.fixedAddresses)
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
