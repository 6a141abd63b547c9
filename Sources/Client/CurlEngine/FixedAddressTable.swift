import CErrandCurl
import ErrandEgress
import ErrandTransfer

/// The fixed addresses of a session, by host and port.
///
/// libcurl parses all entries that a handle has, and adds them to its cache of addresses, for each transfer again. So a
/// transfer gets only those for the names that libcurl may look up for it: the host of the URL, and the proxy.
///
/// Used on the loop's thread only.
final class FixedAddressTable {
    private let entries: [FixedAddress]
    /// The indices of the entries.
    private let numbers: [EgressDestination: Int]
    /// The index of the entry for the proxy.
    private let proxyNumber: Int?
    /// The lists that were needed so far, by the index of their first entry; handles point to them.
    private var lists: [Int: FixedAddressList] = [:]

    /// Creates a table; of several entries for a host and port, the last counts.
    ///
    /// - Parameters:
    ///   - entries: The entries. One without addresses is as good as none.
    ///   - proxy: The proxy that connections are made to; `nil` for none.
    init(_ entries: [FixedAddress], proxy: EgressDestination?) {
        var numbers: [EgressDestination: Int] = [:]
        for (number, entry) in entries.enumerated() where !entry.addresses.isEmpty {
            numbers[EgressDestination(host: entry.host.lowercased(), port: entry.port)] = number
        }
        self.entries = entries
        self.numbers = numbers
        proxyNumber = proxy.flatMap { numbers[$0] }
    }

    /// Returns the fixed addresses for a transfer to `url`, which live as long as this object; `nil` for none.
    func list(for url: HTTPURL) throws(CurlFailure) -> FixedAddressList? {
        guard !numbers.isEmpty else { return nil }
        let own = numbers[EgressDestination(host: url.host, port: url.port)]
        guard let first = own ?? proxyNumber else { return nil }
        if let list = lists[first] { return list }
        var chosen = [entries[first]]
        if let proxyNumber, proxyNumber != first { chosen.append(entries[proxyNumber]) }
        let list = try FixedAddressList(chosen)
        lists[first] = list
        return list
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
