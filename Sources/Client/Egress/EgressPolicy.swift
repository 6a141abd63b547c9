/// The rules for the addresses to which a session may connect.
public struct EgressPolicy: Sendable, Hashable {
    /// The treatment of addresses outside the public Internet.
    public var privateNetworks: PrivateNetworks
    /// Networks that are allowed although they are not public.
    public var allow: [IPNetwork]
    /// Networks that are always refused.
    public var deny: [IPNetwork]
    /// A Boolean value that indicates whether a proxy may resolve names, whose addresses cannot be checked here.
    public var trustsProxy: Bool

    /// Creates a policy; by default only the host of the base URL may have a private address.
    public init(
        privateNetworks: PrivateNetworks = .baseOnly, allow: [IPNetwork] = [], deny: [IPNetwork] = [],
        trustsProxy: Bool = false
    ) {
        self.privateNetworks = privateNetworks
        self.allow = allow
        self.deny = deny
        self.trustsProxy = trustsProxy
    }

    /// The treatment of addresses outside the public Internet.
    public enum PrivateNetworks: String, Sendable, Hashable, CaseIterable {
        /// Allows them only for the host and port of the base URL.
        case baseOnly = "base_only"
        /// Allows them like public addresses.
        case allow
        /// Refuses them, even for the host of the base URL.
        case deny
    }
}
