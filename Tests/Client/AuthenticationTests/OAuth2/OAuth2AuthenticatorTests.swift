import ErrandLocking
import ErrandSupport
import ErrandTransfer
import Testing

@testable import ErrandAuthentication

@Suite("OAuth2Authenticator", .timeLimit(.hang))
struct OAuth2AuthenticatorTests {
    let clock = ManualClock()

    static func client() throws -> OAuth2ClientCredentials {
        OAuth2ClientCredentials(
            tokenURL: try HTTPURL("https://id.example/token"), clientID: "client", clientSecret: "s3cret")
    }

    static func response(_ token: String, lifetime: Int = 3600) -> [ScriptedTransport.Step] {
        [
            .head(ResponseHead(status: 200)),
            .bytes(Array(#"{"access_token":"\#(token)","token_type":"bearer","expires_in":\#(lifetime)}"#.utf8)),
        ]
    }

    /// Returns a transport whose responses have the tokens `t1`, `t2` and so on.
    static func numbered(
        lifetime: Int = 3600, before: @escaping @Sendable (Int) -> [ScriptedTransport.Step] = { _ in [] }
    ) -> ScriptedTransport {
        let count = Mutex(0)
        return ScriptedTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return before(number) + response("t\(number)", lifetime: lifetime)
        }
    }

    private func authenticator(_ transport: ScriptedTransport) throws -> OAuth2Authenticator {
        OAuth2Authenticator(try Self.client(), transport: transport, clock: clock.clock)
    }

    private let executor = StepExecutor()

    /// Starts callers that wait for a token.
    private func waiting(_ count: Int, for authenticator: OAuth2Authenticator) -> [Task<String, any Error>] {
        let callers = (0..<count).map { _ in
            Task(executorPreference: executor) { try await authenticator.token() }
        }
        executor.runAll()
        return callers
    }

    /// Returns the error of a caller; `nil` if it has received a token.
    private static func failure(of caller: Task<String, any Error>) async -> AuthenticationError? {
        switch await caller.result {
        case .success: nil
        case .failure(let error): error as? AuthenticationError
        }
    }

    @Test("64 concurrent callers cause one request and receive the same token")
    func shared() async throws {
        let gate = ScriptedTransport.Gate()
        let transport = Self.numbered { _ in [.wait(gate)] }
        let authenticator = try authenticator(transport)
        let callers = waiting(64, for: authenticator)
        #expect(authenticator.waiterCount == 64)
        executor.runFreely()
        gate.open()
        for caller in callers { #expect(try await caller.value == "t1") }
        #expect(transport.requests.count == 1)
        #expect(authenticator.waiterCount == 0)
    }

    @Test("64 callers with an expired token cause one refresh")
    func expired() async throws {
        let transport = Self.numbered()
        let authenticator = try authenticator(transport)
        #expect(try await authenticator.token() == "t1")
        clock.advance(by: .seconds(3600))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<64 { group.addTask { try await authenticator.token() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["t2"])
        #expect(transport.requests.count == 2)
    }

    @Test("64 callers whose token is refused cause one refresh, even if some refusals are late")
    func rejected() async throws {
        let transport = Self.numbered()
        let authenticator = try authenticator(transport)
        #expect(try await authenticator.token() == "t1")
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    _ = authenticator.reject("t1")
                    return try await authenticator.token()
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["t2"])
        #expect(transport.requests.count == 2)
    }

    @Test("A token that will soon expire is used immediately while the next one is requested")
    func renewed() async throws {
        let gate = ScriptedTransport.Gate()
        let transport = Self.numbered { $0 == 2 ? [.wait(gate)] : [] }
        let authenticator = try authenticator(transport)
        #expect(try await authenticator.token() == "t1")
        clock.advance(by: .seconds(3580))
        #expect(try await authenticator.token() == "t1")
        #expect(try await authenticator.token() == "t1")
        clock.advance(by: .seconds(20))
        let next = waiting(1, for: authenticator)[0]
        #expect(authenticator.waiterCount == 1)
        executor.runFreely()
        gate.open()
        #expect(try await next.value == "t2")
        #expect(transport.requests.count == 2)
    }

    @Test("A failed request fails all waiting callers and those of the pause after it, and then another is started")
    func failed() async throws {
        let gate = ScriptedTransport.Gate()
        let error = TransferError(.cannotConnect, "No connection")
        let transport = Self.numbered { $0 == 1 ? [.wait(gate), .fail(error)] : [] }
        let authenticator = try authenticator(transport)
        let callers = waiting(64, for: authenticator)
        #expect(authenticator.waiterCount == 64)
        executor.runFreely()
        gate.open()
        let expected = AuthenticationError(.cannotConnect, "The token request failed: No connection")
        for caller in callers { #expect(await Self.failure(of: caller) == expected) }
        clock.advance(by: .milliseconds(99))
        #expect(await Self.failure(of: authenticator) == expected)
        #expect(transport.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await authenticator.token() == "t2")
    }

    @Test("Failed requests do not count as tokens: after five of them another is started")
    func uncounted() async throws {
        let error = TransferError(.cannotConnect, "No connection")
        let transport = Self.numbered { $0 <= 5 ? [.fail(error)] : [] }
        let authenticator = try authenticator(transport)
        for count in 1...5 {
            #expect(await Self.failure(of: authenticator)?.code == .cannotConnect)
            #expect(transport.requests.count == count)
            clock.advance(by: .seconds(5))
        }
        #expect(try await authenticator.token() == "t6")
    }

    /// Returns the error of a failed token request; `nil` if there is a token.
    private static func failure(of authenticator: OAuth2Authenticator) async -> AuthenticationError? {
        do throws(AuthenticationError) {
            _ = try await authenticator.token()
            return nil
        } catch {
            return error
        }
    }

    @Test("A canceled caller stops waiting, and the others receive the token of the same request")
    func canceled() async throws {
        let gate = ScriptedTransport.Gate()
        let transport = Self.numbered { _ in [.wait(gate)] }
        let authenticator = try authenticator(transport)
        // The caller that caused the request is canceled as well.
        let callers = waiting(3, for: authenticator)
        #expect(authenticator.waiterCount == 3)
        executor.runFreely()
        for caller in callers.prefix(2) {
            caller.cancel()
            #expect(await Self.failure(of: caller)?.code == .canceled)
        }
        #expect(authenticator.waiterCount == 1)
        gate.open()
        #expect(try await callers[2].value == "t1")
        #expect(transport.requests.count == 1)
    }

    @Test("A task that is canceled before it asks causes no request")
    func canceledBefore() async throws {
        let transport = Self.numbered()
        let authenticator = try authenticator(transport)
        let begin = Signal<Void>()
        let task = Task {
            await begin.wait()
            return await Self.failure(of: authenticator)
        }
        task.cancel()
        begin.send()
        #expect(await task.value?.code == .canceled)
        #expect(transport.requests.isEmpty && authenticator.waiterCount == 0)
    }

    @Test("Cancellations at any time leave no caller waiting", arguments: 0..<10)
    func cancellations(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let gate = ScriptedTransport.Gate()
        let transport = Self.numbered { _ in [.wait(gate)] }
        let authenticator = try authenticator(transport)
        let tasks = (0..<64).map { _ in Task { await Self.failure(of: authenticator) } }
        let canceled = tasks.filter { _ in Bool.random(using: &random) }
        await withTaskGroup { group in
            for task in canceled { group.addTask { task.cancel() } }
            group.addTask { gate.open() }
        }
        var kept = 0
        for task in tasks {
            let error = await task.value
            #expect(error == nil || error?.code == .canceled)
            if error == nil { kept += 1 }
        }
        #expect(kept >= 64 - canceled.count)
        #expect(authenticator.waiterCount == 0 && transport.requests.count == 1)
    }

    @Test("Refused tokens are replaced at most four times within 30 s, and the fifth stays in use")
    func excessive() async throws {
        let transport = Self.numbered()
        let authenticator = try authenticator(transport)
        for number in 1...5 {
            #expect(try await authenticator.token() == "t\(number)")
            #expect(authenticator.reject("t\(number)") == (number == 5 ? .kept(after: nil) : .discarded))
        }
        #expect(try await authenticator.token() == "t5")
        clock.advance(by: .seconds(30))
        #expect(authenticator.reject("t5") == .discarded)
        #expect(try await authenticator.token() == "t6")
    }

    @Test("A token that one path refuses in the pause after a failed renewal stays in use for others until it is over")
    func refusedInPause() async throws {
        let count = Mutex(0)
        let transport = ScriptedTransport { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? [.head(ResponseHead(status: 503))] : Self.response("t\(number)")
        }
        let authenticator = try authenticator(transport)
        #expect(try await authenticator.token() == "t1")
        clock.advance(by: .seconds(3580))
        var request = TransferRequest(url: try HTTPURL("https://api.example/a"))
        try await authenticator.authorize(&request)
        try await until { !authenticator.isRefreshing }
        var challenges = AnsweredChallenges()
        let reaction = authenticator.challenge(ResponseHead(status: 401), for: request, after: &challenges)
        let failure = AuthenticationError(
            .authenticationFailed, "The token endpoint returned status 503", isRetryable: true)
        #expect(reaction == .fail(failure))
        #expect(try await authenticator.token() == "t1")
        #expect(transport.requests.count == 2)
        clock.advance(by: .milliseconds(100))
        #expect(authenticator.reject("t1") == .discarded)
        #expect(try await authenticator.token() == "t3")
    }

    @Test("A caller after a reset gets a token that was requested after it, and those before it the earlier one")
    func reset() async throws {
        let gate = ScriptedTransport.Gate()
        let transport = Self.numbered { $0 == 1 ? [.wait(gate)] : [] }
        let authenticator = try authenticator(transport)
        let early = waiting(2, for: authenticator)
        authenticator.reset()
        let late = waiting(2, for: authenticator)
        #expect(authenticator.waiterCount == 4)
        executor.runFreely()
        gate.open()
        for caller in early { #expect(try await caller.value == "t1") }
        for caller in late { #expect(try await caller.value == "t2") }
        #expect(try await authenticator.token() == "t2")
        #expect(transport.requests.count == 2)
    }

    @Test("A caller after a reset is refused if the request from before it has returned the last token of the window")
    func excessiveReset() async throws {
        let gate = ScriptedTransport.Gate()
        let transport = Self.numbered { $0 == 5 ? [.wait(gate)] : [] }
        let authenticator = try authenticator(transport)
        for number in 1...4 {
            #expect(try await authenticator.token() == "t\(number)")
            #expect(authenticator.reject("t\(number)") == .discarded)
        }
        let early = waiting(1, for: authenticator)
        authenticator.reset()
        let late = waiting(1, for: authenticator)
        #expect(authenticator.waiterCount == 2)
        executor.runFreely()
        gate.open()
        #expect(try await early[0].value == "t5")
        #expect(await Self.failure(of: late[0])?.message == "More than 5 tokens were fetched within 30 s")
        #expect(transport.requests.count == 5)
    }

    @Test("A response of more than 64 KiB is not read to its end")
    func tooLarge() async throws {
        let exactly = Array(String(repeating: " ", count: 65_536).utf8)
        let cases: [([ScriptedTransport.Step], TransferError.Code)] = [
            ([.bytes(exactly)], .authenticationFailed), ([.bytes(exactly), .bytes([0x20])], .bodyTooLarge),
            ([.bytes(exactly + [0x20])], .bodyTooLarge),
        ]
        for (steps, code) in cases {
            let transport = ScriptedTransport([.head(ResponseHead(status: 200))] + steps)
            let authenticator = try authenticator(transport)
            #expect(await Self.failure(of: authenticator)?.code == code)
        }
    }

    @Test("A transport that ends without a response is an error")
    func silent() async throws {
        let authenticator = try authenticator(ScriptedTransport([]))
        #expect(await Self.failure(of: authenticator)?.code == .transportError)
    }

    @Test("An authenticator is freed when its last request has ended")
    func freed() async throws {
        let freed = Signal<Void>()
        weak var weakly: OAuth2Authenticator?
        do {
            // Released with the authenticator, which owns it through its clock.
            let (tail, monotonic) = (ReleaseSignal(freed), clock.clock.monotonic)
            let owning = AuthenticationClock(
                monotonic: { withExtendedLifetime(tail) { monotonic() } },
                secondsSince1970: clock.clock.secondsSince1970)
            let authenticator = OAuth2Authenticator(
                try Self.client(), transport: Self.numbered(), clock: owning)
            weakly = authenticator
            #expect(try await authenticator.token() == "t1")
        }
        await freed.wait()
        #expect(weakly == nil)
    }
}
