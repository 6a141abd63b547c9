/// The reason for which credentials cannot be used.
public struct CredentialsProblem: Sendable, Hashable, CustomStringConvertible {
    /// The invalid member, by its name in configurations, such as `client_id`.
    public var member: String
    /// The message for users, without the value: a clause whose subject is the member.
    public var detail: String

    /// Creates a problem.
    public init(_ member: String, _ detail: String) {
        self.member = member
        self.detail = detail
    }

    /// The member and the detail.
    public var description: String { "\(member) \(detail)" }
}
