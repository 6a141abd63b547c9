import Authentication
import Egress
import SessionCore
import Transfer
import YAML

/// Whether a session could dial what it cannot do without, as far as the configuration tells: its proxy, its upstream
/// and the endpoint of its tokens.
///
/// Without it every task would fail, the first of them long after the start.
struct EgressCheck {
    /// The session.
    let session: SessionConfiguration
    /// The node of the session.
    let node: YAMLNode

    private var own: EgressDestination? { session.baseURL.map(EgressDestination.init) }

    /// Reports what keeps every task from being sent.
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
        if case .oauth2(let client)? = session.credentials, reader.isSound("credentials"),
            let reason = refusal(of: EgressDestination(client.tokenURL), throughProxy: isProxied)
        {
            reader.report(
                "the token endpoint cannot be used: \(reason)", at: "credentials", "oauth2", "token_url", in: node)
        }
    }

    /// Why nothing can be sent there; `nil` when something can, or only a lookup could tell.
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
    /// The host and the port of a URL.
    fileprivate init(_ url: HTTPURL) {
        self.init(host: url.host, port: url.port)
    }
}

extension EgressRefusal {
    /// The setting of the section `egress` that refuses.
    fileprivate var setting: String {
        switch self {
        case .denied: "deny"
        case .notPublic, .notPublicAtAll: "private_networks"
        case .nameBehindProxy: "trust_proxy"
        }
    }
}
