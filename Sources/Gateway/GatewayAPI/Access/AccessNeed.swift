import ErrandConfiguration
import ErrandTaskEngine

/// The access that a route requires.
enum AccessNeed: Sendable, Hashable {
    /// None, for health and version endpoints; any token if `auth.protect_operations` is set.
    case nothing
    /// Any valid token.
    case token
    /// A token with a scope.
    case scope(Caller.Scope)
    /// A token with the scope `admin` and no session restriction, for operations that concern all sessions.
    case wholeGateway

    /// Permission to read tasks and sessions.
    static let tasksRead = AccessNeed.scope(.tasksRead)
    /// Permission to create and control tasks.
    static let tasksWrite = AccessNeed.scope(.tasksWrite)
    /// Permission to control sessions.
    static let admin = AccessNeed.scope(.admin)

    /// Returns the reason to refuse an authenticated caller, or `nil` when it may use the route.
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
