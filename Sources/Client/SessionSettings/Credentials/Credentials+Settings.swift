import ErrandAuthentication
import ErrandSettings
import ErrandYAML

extension SettingType where Value == Credentials {
    /// The type of a mapping with exactly one kind of credentials.
    static var credentials: SettingType {
        .oneOf([.basic, .digest, .bearer, .apiKey, .oauth2, .awsSignature4])
    }
}

extension SettingGroup {
    /// Creates a group of credential settings, validated as an `Authenticator` does.
    ///
    /// - Parameters:
    ///   - shorthand: The setting that a scalar in place of the group most likely means, for messages.
    ///   - make: Returns the credentials, or `nil` after reporting that they are incomplete.
    init(
        credentials initial: Owner, _ settings: [Setting<Owner>], shorthand: String? = nil,
        make: @escaping @Sendable (Owner) -> Credentials?
    ) {
        self.init(initial, settings, shorthand: shorthand) { value, node, reader in
            if let credentials = make(value) { reader.report(credentials.problems, in: node) }
        }
    }
}

extension SettingReader {
    /// Reports problems of credentials.
    ///
    /// Settings that are missing or were already refused are not reported again.
    mutating func report(_ problems: [CredentialsProblem], in node: YAMLNode?) {
        for problem in problems where node?.mapping?[problem.member] != nil && isSound(problem.member) {
            report(problem.detail, at: problem.member, in: node)
        }
    }
}
