/// What an ``EgressRule`` says.
public enum EgressVerdict: Sendable, Hashable {
    /// It may be dialled.
    case allowed
    /// It may not.
    case refused(reason: EgressRefusal)
}

/// Which part of a policy refuses.
///
/// It tells no more about the network than the policy does: neither an address, nor what kind of one it is.
public enum EgressRefusal: Sendable, Hashable, CustomStringConvertible {
    /// ``EgressPolicy/deny`` has the address.
    case denied
    /// The address is not of the public Internet, and the host is not the base URL's own.
    case notPublic
    /// The address is not of the public Internet, which no host may have.
    case notPublicAtAll
    /// What a name stands for is only known to the proxy.
    case nameBehindProxy

    /// The rule, by the names of the configuration.
    public var description: String {
        switch self {
        case .denied: "egress.deny has the address"
        case .notPublic: "the address is not public (egress.private_networks: base_only)"
        case .notPublicAtAll: "the address is not public (egress.private_networks: deny)"
        case .nameBehindProxy: "names behind a proxy need egress.trust_proxy"
        }
    }
}
