import CCurl
import Egress
import Transfer

/// The options of a session together with what libcurl keeps pointers to, and what is made of them once.
///
/// On the loop's thread.
final class SessionOptions {
    let connection: ConnectionOptions
    /// Connections are made and not used.
    let isForProbes: Bool
    let fixedAddresses: FixedAddressList
    let egress: EgressCheck
    private let hasProxy: Bool
    /// The proxy, unless libcurl will refuse it.
    private let proxy: ProxyAddress?
    private let tls: TLSPolicy

    init(_ connection: ConnectionOptions, isForProbes: Bool) throws(CurlFailure) {
        self.connection = connection
        self.isForProbes = isForProbes
        fixedAddresses = try FixedAddressList(connection.fixedAddresses)
        if let text = connection.proxy, !text.isEmpty {
            hasProxy = true
            proxy = try ProxyAddress(text)
        } else {
            hasProxy = false
            proxy = nil
        }
        let nowhere = EgressDestination(host: "", port: 0)
        egress = EgressCheck(connection.egress, proxy: hasProxy ? proxy?.destination ?? nowhere : nil)
        tls = TLSPolicy(connection.tls)
    }

    /// Why nothing may be sent, or dialled, for a URL, whatever its host's addresses are; `nil` when it may.
    func refusal(of url: HTTPURL) -> TransferError? {
        if let refusal = egress.refusalBehindProxy(of: url) { return .egressDenied(refusal) }
        do throws(TransferError) {
            if proxy?.isSecure == true { _ = try tls.partsForProxy() }
            // Nobody can be recognised without TLS, wherever a redirect leads.
            if !isForProbes, url.scheme == .http, connection.tls.trust.pinning != .none { throw .pinnedPeerInTheClear }
            // A policy that cannot be evaluated refuses, also where nobody is judged by it.
            if !isForProbes, url.scheme == .https || tls.hasParts { _ = try tls.parts(for: url) }
            return nil
        } catch {
            return error
        }
    }

    /// What becomes of a TLS handshake on the way to a URL.
    ///
    /// - Parameter number: How many there were before over the same socket. Within a proxy's connection there is another.
    func handshake(_ number: Int, to url: HTTPURL) throws(TransferError) -> PeerHandshake {
        if number == 0, let proxy, proxy.isSecure {
            return PeerHandshake(
                host: proxy.destination.host, isProxy: true, evaluator: try tls.partsForProxy(), keyPair: nil)
        }
        let (evaluator, keyPair) = try tls.parts(for: url)
        return PeerHandshake(host: url.host, isProxy: false, evaluator: evaluator, keyPair: keyPair)
    }

    /// Whether a request for `url` is read, and may be answered, by a proxy, rather than passed through a tunnel.
    func goesToProxy(_ url: HTTPURL) -> Bool {
        url.scheme == .http && hasProxy && proxy?.isSOCKS != true
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

extension TransferError {
    /// A session that pins its peers was to send something without TLS.
    fileprivate static let pinnedPeerInTheClear = TransferError(
        .pinMismatch, "The session pins its peers, and nobody can be recognised over http")
}
