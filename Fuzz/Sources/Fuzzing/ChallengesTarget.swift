import ErrandAuthentication

extension FuzzTarget {
    /// Fuzzes `WWW-Authenticate` fields, one on each line.
    static let challenges = FuzzTarget("challenges", maxBytes: 1024) { input in
        let fields = InputText.lines(input).map { InputText.fieldText($0) }
        let challenges = AuthenticationChallenge.parse(fields: fields)
        try expect(challenges.count <= AuthenticationChallenge.maxChallenges, "the limit of challenges holds")
        for challenge in challenges {
            try expect(!challenge.scheme.isEmpty, "a challenge has a scheme")
            try expect(challenge.scheme == challenge.scheme.lowercased(), "it is in lower case")
            try expect(challenge.token68 == nil || challenge.parameters.isEmpty, "it has either token68 or parameters")
            try expect(
                challenge.parameters.count <= AuthenticationChallenge.maxParameters, "the limit of parameters holds")
            try expect(!challenge.parameters.contains { $0.name.isEmpty }, "a parameter has a name")
        }
    }
}
