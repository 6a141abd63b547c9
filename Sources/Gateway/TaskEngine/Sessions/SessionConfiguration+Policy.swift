import ErrandSessionCore

extension SessionConfiguration {
    /// The parts of a configuration, one for each stored property.
    ///
    /// A test compares them with the existing properties: a new property must be classified here.
    enum Part: String, CaseIterable {
        case name
        case baseURL
        case urlScope
        case headers
        case userAgent
        case credentials
        case allowedMethods
        case request
        case response
        case redirects
        case cookies
        case connection
        case egress
        case acceptsCompression
        case timeouts
        case suspendedKeep
        case limits
        case retry
        case circuitBreaker
        case forwardsIdempotencyKey
        case reachability
    }

    /// Returns true if two configurations have the same policy, so that attempts under way may continue to their end.
    ///
    /// Differences in limits, retries, timing, and request and response formats do not count. All other parts define
    /// the parties that the session trusts, the destinations that it may reach, and its credentials.
    func allowsTheSame(as other: SessionConfiguration) -> Bool {
        var same = other
        for part in Part.allCases { same.take(part, of: self) }
        return same == self
    }

    /// Copies a part of another configuration if it does not belong to the policy.
    private mutating func take(_ part: Part, of other: SessionConfiguration) {
        switch part {
        case .timeouts: timeouts = other.timeouts
        case .suspendedKeep: suspendedKeep = other.suspendedKeep
        case .limits: limits = other.limits
        case .reachability: reachability = other.reachability
        case .cookies: cookies = other.cookies
        case .request: request = other.request
        case .response: response = other.response
        case .retry: retry = other.retry
        case .circuitBreaker: circuitBreaker = other.circuitBreaker
        case .forwardsIdempotencyKey: forwardsIdempotencyKey = other.forwardsIdempotencyKey
        case .name, .baseURL, .urlScope, .headers, .userAgent, .credentials, .allowedMethods, .redirects, .connection,
            .egress, .acceptsCompression:
            break
        }
    }
}
