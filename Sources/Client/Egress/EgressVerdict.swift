/// The decision of an ``EgressRule``.
public enum EgressVerdict: Sendable, Hashable {
    /// Connecting is allowed.
    case allowed
    /// Connecting is refused.
    case refused(reason: EgressRefusal)
}

/// The part of a policy that refuses an address.
///
/// It reveals no more about the network than the policy does: neither the address nor its kind.
public enum EgressRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The address is in ``EgressPolicy/deny``.
    case denied
    /// The address is not public, and the host is not that of the base URL.
    case notPublic
    /// The address is not public, and the policy allows no exceptions.
    case notPublicAtAll
    /// The host is a name that only the proxy resolves.
    case nameBehindProxy

    /// The rule, in the terms of the configuration.
    public var description: String {
        switch self {
        case .denied: "egress.deny contains the address"
        case .notPublic: "the address is not public (egress.private_networks: base_only)"
        case .notPublicAtAll: "the address is not public (egress.private_networks: deny)"
        case .nameBehindProxy: "host names behind a proxy require egress.trust_proxy"
        }
    }
}
