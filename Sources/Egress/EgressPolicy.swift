/// Which addresses a session may dial.
public struct EgressPolicy: Sendable, Hashable {
    /// What is done about addresses that are not of the public Internet.
    public var privateNetworks: PrivateNetworks
    /// Networks that may be dialled although they are not public.
    public var allow: [IPNetwork]
    /// Networks that may not be dialled, whatever else is said.
    public var deny: [IPNetwork]
    /// Whether names are left to a proxy, whose answer nobody here can judge.
    public var trustsProxy: Bool

    /// Creates a policy; by default only the base URL's own host may be private.
    public init(
        privateNetworks: PrivateNetworks = .baseOnly, allow: [IPNetwork] = [], deny: [IPNetwork] = [],
        trustsProxy: Bool = false
    ) {
        self.privateNetworks = privateNetworks
        self.allow = allow
        self.deny = deny
        self.trustsProxy = trustsProxy
    }

    /// What is done about addresses that are not of the public Internet.
    public enum PrivateNetworks: String, Sendable, Hashable, CaseIterable {
        /// Only the base URL's own host and port may have one.
        case baseOnly = "base_only"
        /// They are dialled like others.
        case allow
        /// They are refused, the base URL's own host too.
        case deny
    }
}
