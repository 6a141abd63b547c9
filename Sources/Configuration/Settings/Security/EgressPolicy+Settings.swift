import Egress
import YAML

extension EgressPolicy {
    /// The section `egress` of a session.
    static let settings = SettingGroup(
        EgressPolicy(),
        [
            Setting(
                "private_networks", \.privateNetworks, .choice(),
                """
                What is done about addresses that are not of the public Internet: private, loopback, link-local, shared, \
                multicast, reserved and documentation ones, and what carries them in IPv6. `base_only`: only the host and \
                port of `base_url` may have one. `allow`: any may. `deny`: none may.
                """),
            Setting(
                "allow", \.allow, .list(of: .network),
                "Addresses and networks that may be connected to although they are not public."),
            Setting(
                "deny", \.deny, .list(of: .network),
                """
                Addresses and networks that are never connected to, whatever else is set; IPv6 addresses that carry one \
                of them neither.
                """),
            Setting(
                "trust_proxy", \.trustsProxy, .boolean,
                """
                Whether names are left to the proxy, which alone knows their addresses: without it tasks that go through \
                a proxy can only have an address as host.
                """),
        ])
}

extension SettingType where Value == IPNetwork {
    /// An address, or a network with the number of its bits; see `IPNetwork`.
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
