import HTTPSession

/// A retrier of the program that counts failed attempts, and leaves the decision to the next one.
actor AttemptCounter: RequestRetrier {
    private(set) var failures = 0

    func retry(after attempt: FailedAttempt) async -> RetryResult {
        failures += 1
        return .doNotRetry
    }
}

/// Requests with a token that is refreshed once for all of them: `refreshed-token [BASE-URL]`.
@main
enum RefreshedTokenExample {
    struct Answer: Decodable, Sendable {
        var user: String
    }

    static func main() async throws {
        let baseURL = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081"
        // The sample upstream knows Basic credentials only, which serve as the token here. The first one has expired.
        let tokens = TokenRefresher(RefreshedToken("expired"), scheme: "Basic") {
            print("fetching a token")
            return RefreshedToken("YWRhOmxvdmVsYWNl", lifetime: .seconds(3600))
        }
        let counter = AttemptCounter()
        let hooks = SessionHooks(adapters: [tokens], retriers: [counter, tokens])
        let api = try Session(baseURL: baseURL, hooks: hooks)

        let users = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 {
                group.addTask { try await api.get("basic-auth/ada/lovelace", as: Answer.self).user }
            }
            var users: [String] = []
            for try await user in group { users.append(user) }
            return users
        }
        print("\(users.count) answers for \(Set(users).joined(separator: ", "))")
        print("refused attempts: \(await counter.failures)")
    }
}
