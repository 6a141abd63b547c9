/// An ``EgressPolicy`` with the session's own host and port; engines consult it before they open a socket.
///
/// The first line of the table that matches an address decides:
///
/// | | verdict |
/// | --- | --- |
/// | ``EgressPolicy/deny`` contains it, or an address embedded in it | refused |
/// | ``EgressPolicy/privateNetworks`` is `allow` | allowed |
/// | ``EgressPolicy/allow`` contains it; or it is public, and each embedded address is public or in that list | allowed |
/// | `base_only`, and the host and port are the base URL's own | allowed |
/// | otherwise | refused |
///
/// An IPv6 address with an embedded IPv4 address (RFC 4291 §2.5.5, RFC 6052, RFC 3056, RFC 4380…) is as public as that
/// address, because a translator or tunnel sends the packets there. The allow list applies to embedded addresses too;
/// otherwise `10.0.0.0/8` would not permit `::ffff:10.0.0.1`.
public struct EgressRule: Sendable, Hashable {
    /// The policy.
    public var policy: EgressPolicy
    /// The host and port of the base URL; `nil` without a base URL.
    public var own: EgressDestination?

    /// Creates a rule.
    public init(_ policy: EgressPolicy, own: EgressDestination? = nil) {
        self.policy = policy
        self.own = own
    }

    /// A rule that allows every address.
    public static let unrestricted = EgressRule(EgressPolicy(privateNetworks: .allow, trustsProxy: true))

    /// True if the rule allows every address, and every name behind a proxy, as ``unrestricted`` does, whatever the
    /// host and port of the base URL are.
    package var isUnrestricted: Bool {
        policy.privateNetworks == .allow && policy.trustsProxy && policy.deny.isEmpty
    }

    /// Checks an address before a socket is connected to it.
    ///
    /// - Parameters:
    ///   - address: The address after name resolution.
    ///   - destination: The host and port in the URL.
    public func judge(_ address: IPAddress, for destination: EgressDestination) -> EgressVerdict {
        let carried = address.carried
        guard !([address] + carried).contains(where: { address in policy.deny.contains { $0.contains(address) } })
        else { return .refused(reason: .denied) }
        if policy.privateNetworks == .allow || isAcceptable(address, carrying: carried) { return .allowed }
        guard policy.privateNetworks == .baseOnly else { return .refused(reason: .notPublicAtAll) }
        return destination == own ? .allowed : .refused(reason: .notPublic)
    }

    /// Checks the destination that a proxy is about to be asked for.
    ///
    /// A literal address is checked like any other. A name is resolved by the proxy, so its address cannot be checked
    /// here: names are allowed only if the policy trusts the proxy. This includes the base URL's name.
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

/// The host and port of a URL.
public struct EgressDestination: Sendable, Hashable {
    /// The host as in a URL, normalised: in lower case, IPv6 in brackets.
    public var host: String
    /// The port.
    public var port: UInt16

    /// Creates a destination.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// The address that the host denotes; `nil` for a name.
    public var address: IPAddress? {
        guard host.hasPrefix("["), host.hasSuffix("]"), host.utf8.count > 2 else { return IPAddress(host) }
        return IPAddress(host.dropFirst().dropLast())
    }
}
