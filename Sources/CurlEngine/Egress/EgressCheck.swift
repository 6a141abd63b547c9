import CCurl
import Egress
import Transfer

/// Judges where a session's connections go: what a proxy is asked for, and each address that is dialled.
struct EgressCheck {
    private let rule: EgressRule
    /// Where all connections go, in a session with a proxy.
    private let proxy: EgressDestination?
    private let isUnrestricted: Bool

    init(_ rule: EgressRule, proxy: EgressDestination?) {
        self.rule = rule
        self.proxy = proxy
        isUnrestricted = rule == .unrestricted
    }

    /// Why a proxy may not be asked for a URL's host, whose address is never seen here; `nil` without a proxy.
    func refusalBehindProxy(of url: HTTPURL) -> EgressRefusal? {
        guard proxy != nil, !isUnrestricted else { return nil }
        return rule.judgeBehindProxy(EgressDestination(host: url.host, port: url.port)).refusal
    }

    /// Why an address may not be dialled on the way to a URL; with a proxy it is the proxy's own.
    func refusal(of address: UnsafePointer<curl_sockaddr>, for url: HTTPURL) -> EgressRefusal? {
        guard !isUnrestricted else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = Int(ccurl_ip_address(address, &bytes))
        // Neither IPv4 nor IPv6: nothing of the Internet, and on nobody's list.
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
    /// An address, or what a proxy would be asked for, is refused by the session's policy.
    static func egressDenied(_ refusal: EgressRefusal) -> TransferError {
        TransferError(.egressDenied, "The egress policy of the session refuses the destination: \(refusal)")
    }
}
