import ErrandAuthentication
import ErrandEgress
import ErrandSessionCore
import ErrandSettings
import ErrandTransfer
import ErrandYAML

/// Checks that a session can connect to its proxy, its upstream and the endpoints of its credentials.
///
/// Without this check every task would fail, and the first failure could come long after the start. The check sees only
/// what the configuration itself shows.
struct EgressCheck {
    /// The session.
    let session: SessionConfiguration
    /// The node of the session.
    let node: YAMLNode

    private var own: EgressDestination? { session.baseURL.map(EgressDestination.init) }

    /// Reports each destination that the egress policy refuses for every task.
    func run(_ reader: inout SettingReader) {
        guard reader.isSound("egress"), reader.isSound("base_url"), reader.isSound("connection", "proxy") else {
            return
        }
        if let proxy = session.connection.proxy.flatMap({ ProxyURL($0)?.destination }),
            let reason = refusal(of: proxy, throughProxy: false)
        {
            reader.report("the proxy cannot be used: \(reason)", at: "connection", "proxy", in: node)
        }
        let isProxied = session.connection.proxy != nil
        if let own, let reason = refusal(of: own, throughProxy: isProxied) {
            reader.report("the host of base_url cannot be used: \(reason)", at: "egress", reason.setting, in: node)
        }
        guard let credentials = session.credentials, reader.isSound("credentials") else { return }
        for endpoint in credentials.endpoints {
            guard let reason = refusal(of: EgressDestination(endpoint.url), throughProxy: isProxied) else { continue }
            reader.report(
                "the \(endpoint.name) cannot be used: \(reason)", at: "credentials", credentials.kind, endpoint.member,
                in: node)
        }
    }

    /// Returns the reason that nothing can be sent to a destination; `nil` if it is allowed, or only a lookup could
    /// tell.
    private func refusal(of destination: EgressDestination, throughProxy isProxied: Bool) -> EgressRefusal? {
        let rule = EgressRule(session.egress, own: own)
        let verdict =
            if isProxied {
                rule.judgeBehindProxy(destination)
            } else {
                destination.address.map { rule.judge($0, for: destination) } ?? .allowed
            }
        guard case .refused(let reason) = verdict else { return nil }
        return reason
    }
}

extension EgressDestination {
    /// Creates a destination from the host and the port of a URL.
    fileprivate init(_ url: HTTPURL) {
        self.init(host: url.host, port: url.port)
    }
}

extension EgressRefusal {
    /// The setting of the section `egress` that refuses the destination.
    fileprivate var setting: String {
        switch self {
        case .denied: "deny"
        case .notPublic, .notPublicAtAll: "private_networks"
        case .nameBehindProxy: "trust_proxy"
        }
    }
}
