import CErrandCurl
import ErrandEgress
import ErrandTransfer

/// Applies a session's egress policy: to the hosts that a proxy is asked for, and to each address before connecting.
struct EgressCheck {
    private let rule: EgressRule
    /// The proxy of the session, the destination of all its connections; `nil` without a proxy.
    private let proxy: EgressDestination?
    private let isUnrestricted: Bool

    init(_ rule: EgressRule, proxy: EgressDestination?) {
        self.rule = rule
        self.proxy = proxy
        isUnrestricted = rule.isUnrestricted
    }

    /// Returns the reason to refuse asking a proxy for a URL's host, whose address is unknown here; `nil` without a
    /// proxy.
    func refusalBehindProxy(of url: HTTPURL) -> EgressRefusal? {
        guard proxy != nil, !isUnrestricted else { return nil }
        return rule.judgeBehindProxy(EgressDestination(host: url.host, port: url.port)).refusal
    }

    /// Returns the reason to refuse connecting to an address on the way to a URL; with a proxy, the address is the
    /// proxy's.
    func refusal(of address: UnsafePointer<curl_sockaddr>, for url: HTTPURL) -> EgressRefusal? {
        guard !isUnrestricted else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = Int(ccurl_ip_address(address, &bytes))
        // Neither IPv4 nor IPv6: not a public address, and in no list of networks.
        guard let address = IPAddress(bytes: bytes.prefix(count)) else { return .notPublic }
        return rule.judge(address, for: proxy ?? EgressDestination(host: url.host, port: url.port)).refusal
    }
}

extension EgressVerdict {
    fileprivate var refusal: EgressRefusal? {
        if case .refused(let reason) = self { reason } else { nil }
    }
}

extension TransferError {
    /// Returns the error for an address or host that the session's policy refuses.
    static func egressDenied(_ refusal: EgressRefusal) -> TransferError {
        TransferError(.egressDenied, "The egress policy of the session refuses the destination: \(refusal)")
    }
}
