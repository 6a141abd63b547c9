import Configuration

/// What it takes to use a route.
enum AccessNeed: Sendable, Hashable {
    /// Nothing, for what says how the gateway is and nothing about tasks; any token with `auth.protect_operations`.
    case nothing
    /// A token, whatever it is for.
    case token
    /// A token with a scope.
    case scope(Caller.Scope)
    /// A token with the scope `admin` that is not limited to some sessions: for what concerns all of them.
    case wholeGateway

    /// To look at tasks and sessions.
    static let tasksRead = AccessNeed.scope(.tasksRead)
    /// To make tasks, and to control them.
    static let tasksWrite = AccessNeed.scope(.tasksWrite)
    /// To control sessions.
    static let admin = AccessNeed.scope(.admin)

    /// Why somebody with a valid token must not use the route; `nil` when he may.
    func refusal(of caller: Caller) -> AccessRefusal? {
        switch self {
        case .nothing, .token: nil
        case .scope(let scope): caller.has(scope) ? nil : .missingScope(scope)
        case .wholeGateway:
            if !caller.has(.admin) {
                .missingScope(.admin)
            } else {
                caller.sessions == nil ? nil : .limitedToSessions
            }
        }
    }
}
