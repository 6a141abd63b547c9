import ErrandEgress
import ErrandTransfer

/// The options of a session, with the objects derived from them and the memory that libcurl points to.
///
/// Used on the loop's thread only.
final class SessionOptions {
    let connection: ConnectionOptions
    /// A Boolean value that indicates whether connections are made for probes only.
    let isForProbes: Bool
    let fixedAddresses: FixedAddressTable
    let egress: EgressCheck
    /// A Boolean value that indicates whether connections are made to a proxy.
    let hasProxy: Bool
    /// The proxy; `nil` without one, or if libcurl will refuse it.
    private let proxy: ProxyAddress?
    private let tls: TLSPolicy

    init(_ connection: ConnectionOptions, isForProbes: Bool) throws(CurlFailure) {
        self.connection = connection
        self.isForProbes = isForProbes
        if let text = connection.proxy, !text.isEmpty {
            hasProxy = true
            proxy = try ProxyAddress(text)
        } else {
            hasProxy = false
            proxy = nil
        }
        fixedAddresses = FixedAddressTable(connection.fixedAddresses, proxy: proxy?.destination)
        let nowhere = EgressDestination(host: "", port: 0)
        egress = EgressCheck(connection.egress, proxy: hasProxy ? proxy?.destination ?? nowhere : nil)
        tls = TLSPolicy(connection.tls)
    }

    /// Returns the reason to refuse a URL independent of its host's addresses, or `nil`.
    func refusal(of url: HTTPURL) -> TransferError? {
        if let refusal = egress.refusalBehindProxy(of: url) { return .egressDenied(refusal) }
        do throws(TransferError) {
            if proxy?.isSecure == true { _ = try tls.partsForProxy() }
            // Without TLS the pinned peer cannot be authenticated; this also covers redirects.
            if !isForProbes, url.scheme == .http, connection.tls.trust.pinning != .none { throw .pinnedPeerInTheClear }
            // A policy that cannot be evaluated refuses all requests, even those that would not use it.
            if !isForProbes, url.scheme == .https || tls.hasParts { _ = try tls.parts(for: url) }
            return nil
        } catch {
            return error
        }
    }

    /// Returns a new TLS handshake for a connection on the way to a URL.
    ///
    /// - Parameter number: The number of earlier handshakes over the same socket. A second one is made within a proxy's
    ///   connection.
    func handshake(_ number: Int, to url: HTTPURL) throws(TransferError) -> PeerHandshake {
        if number == 0, let proxy, proxy.isSecure {
            return PeerHandshake(
                host: proxy.destination.host, isProxy: true, evaluator: try tls.partsForProxy(), keyPair: nil)
        }
        let (evaluator, keyPair) = try tls.parts(for: url)
        return PeerHandshake(host: url.host, isProxy: false, evaluator: evaluator, keyPair: keyPair)
    }

    /// Returns whether a proxy reads the request for `url` and may answer it, instead of forwarding it through a
    /// tunnel.
    func goesToProxy(_ url: HTTPURL) -> Bool {
        url.scheme == .http && hasProxy && proxy?.isSOCKS != true
    }

    /// Returns the name that libcurl looks up to reach `url`, in words; `nil` for an address, which needs no lookup.
    ///
    /// - Parameter isBehindProxy: True if libcurl is connected to a proxy, and needs the address of the host.
    func nameToLookUp(for url: HTTPURL, isBehindProxy: Bool) -> String? {
        if hasProxy, !isBehindProxy { return proxy?.destination.isLookedUp == true ? "The name of the proxy" : nil }
        return EgressDestination(host: url.host, port: url.port).isLookedUp ? "The name \(url.host)" : nil
    }

    /// A Boolean value that indicates whether libcurl looks up the names of hosts once it is connected to a proxy.
    var looksUpHostsBehindProxy: Bool { proxy?.resolvesHere == true }

    /// Returns whether a transfer to `url` waits for a connection being made, because it may become a stream of it.
    ///
    /// True only where the handshake tells whether the connection carries several streams. Without TLS, HTTP/1.1 is
    /// only recognised by the first response, which may take arbitrarily long.
    func waitsForConnection(to url: HTTPURL) -> Bool {
        guard !isForProbes else { return false }
        return switch connection.version {
        case .automatic: url.scheme == .https
        case .http1: false
        case .http2: true
        }
    }

    /// Returns whether a transfer to `url` has a connection of its own, which is closed after it.
    func ownsConnection(to url: HTTPURL) -> Bool {
        isForProbes || connection.version == .http2 && url.scheme == .http && CurlGlobal.breaksReusedCleartextHTTP2
    }
}

extension EgressDestination {
    /// A Boolean value that indicates whether libcurl asks the system's resolver for the addresses of the host.
    fileprivate var isLookedUp: Bool { address == nil && host != "localhost" && !host.hasSuffix(".localhost") }
}

extension TransferError {
    /// The error of a request without TLS in a session that pins its peers.
    fileprivate static let pinnedPeerInTheClear = TransferError(
        .pinMismatch, "The session pins its peers, which requires https; the URL has the scheme http")
}
