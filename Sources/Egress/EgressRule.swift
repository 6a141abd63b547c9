/// An ``EgressPolicy`` together with the host and port that are the session's own: what an engine asks before it opens
/// a socket.
///
/// An address is judged by the first line that is true of it:
///
/// | | verdict |
/// | --- | --- |
/// | ``EgressPolicy/deny`` has it, or an address that it carries | refused |
/// | ``EgressPolicy/privateNetworks`` is `allow` | allowed |
/// | it is acceptable: ``EgressPolicy/allow`` has it; or it is public, and so are, or on that list, all that it carries | allowed |
/// | `base_only`, and the host and port are the base URL's own | allowed |
/// | any other | refused |
///
/// IPv6 addresses that carry IPv4 ones (RFC 4291 §2.5.5, RFC 6052, RFC 3056, RFC 4380…) are as public as those: where
/// a translator or a tunnel is in use, they are where the packets go. The list of what may be dialled speaks for a
/// carried address too, as `10.0.0.0/8` would be no permission for `::ffff:10.0.0.1` otherwise.
public struct EgressRule: Sendable, Hashable {
    /// The policy.
    public var policy: EgressPolicy
    /// The base URL's host and port; `nil` without a base URL.
    public var own: EgressDestination?

    /// Creates a rule.
    public init(_ policy: EgressPolicy, own: EgressDestination? = nil) {
        self.policy = policy
        self.own = own
    }

    /// Everything may be dialled.
    public static let unrestricted = EgressRule(EgressPolicy(privateNetworks: .allow, trustsProxy: true))

    /// Judges an address that a socket is about to be connected to.
    ///
    /// - Parameters:
    ///   - address: The address, after all name lookup.
    ///   - destination: What the URL said, whatever it led to.
    public func judge(_ address: IPAddress, for destination: EgressDestination) -> EgressVerdict {
        let carried = address.carried
        guard !([address] + carried).contains(where: { address in policy.deny.contains { $0.contains(address) } })
        else { return .refused(reason: .denied) }
        if policy.privateNetworks == .allow || isAcceptable(address, carrying: carried) { return .allowed }
        guard policy.privateNetworks == .baseOnly else { return .refused(reason: .notPublicAtAll) }
        return destination == own ? .allowed : .refused(reason: .notPublic)
    }

    /// Judges what a proxy is asked to connect to, before it is.
    ///
    /// A literal address is judged like any other. What a name stands for is found out by the proxy, so that nobody
    /// here can judge it: names are left to a proxy that is trusted with them, the base URL's own too.
    public func judgeBehindProxy(_ destination: EgressDestination) -> EgressVerdict {
        if let address = destination.address { return judge(address, for: destination) }
        return policy.trustsProxy ? .allowed : .refused(reason: .nameBehindProxy)
    }

    private func isAcceptable(_ address: IPAddress, carrying carried: [IPAddress]) -> Bool {
        if policy.allow.contains(where: { $0.contains(address) }) { return true }
        guard !(SpecialNetwork.of(address)?.isPrivate ?? false) else { return false }
        return carried.allSatisfy { isAcceptable($0, carrying: []) }
    }
}
