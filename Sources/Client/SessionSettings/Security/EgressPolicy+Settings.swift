import ErrandEgress
import ErrandSettings
import ErrandYAML

extension EgressPolicy {
    /// The section `egress` of a session.
    static let settings = SettingGroup(
        EgressPolicy(),
        [
            Setting(
                "private_networks", \.privateNetworks, .choice(),
                """
                The handling of addresses outside the public Internet: private, loopback, link-local, shared, \
                multicast, reserved and documentation addresses, and IPv6 addresses that contain one. `base_only`: \
                only the host and port of `base_url` may have one. `allow`: all are allowed. `deny`: all are \
                refused.
                """),
            Setting(
                "allow", \.allow, .list(of: .network),
                "Addresses and networks that are allowed although they are not public."),
            Setting(
                "deny", \.deny, .list(of: .network),
                "Addresses and networks that are always refused, including IPv6 addresses that contain one of them."),
            Setting(
                "trust_proxy", \.trustsProxy, .boolean,
                """
                If true, the proxy resolves names, so that their addresses are not checked. If false, tasks that use \
                a proxy can only have an address as host.
                """),
        ])
}

extension SettingType where Value == IPNetwork {
    /// The type of an address, or of a network with its prefix length; see `IPNetwork`.
    fileprivate static var network: SettingType {
        let shape = ScalarShape(
            label: "address or network", expectation: "an address or a network such as 10.0.0.0/8 or fd00::/8")
        return .scalar(
            shape,
            parse: { text throws(ScalarRefusal) in
                do throws(IPNetworkError) {
                    return try IPNetwork(text)
                } catch {
                    throw .because("expected \(shape.expectation): \(error)")
                }
            },
            format: { .text($0.description) })
    }
}
