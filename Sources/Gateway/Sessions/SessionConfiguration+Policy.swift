import SessionCore

extension SessionConfiguration {
    /// Whether two configurations allow the same: what of one is under way may as well go on to its end.
    ///
    /// Only what is named here makes no difference: limits, and how content is written and read. Everything else does,
    /// such as whom the session trusts, what it may reach and what it proves itself with.
    func allowsTheSame(as other: SessionConfiguration) -> Bool {
        var same = other
        same.timeouts = timeouts
        same.suspendedKeep = suspendedKeep
        same.limits = limits
        same.reachability = reachability
        same.cookies = cookies
        same.request = request
        same.response = response
        return same == self
    }
}
