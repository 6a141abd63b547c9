import ErrandAuthentication
import ErrandSupport
import ErrandTransfer
import Testing

@Suite("TokenMachine")
struct TokenMachineTests {
    var machine = TokenMachine()

    static func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    /// Returns the instant after a number of milliseconds.
    static func at(milliseconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    static func token(_ value: String, _ lifetime: Duration? = .seconds(3600), at seconds: Int64 = 0) -> AccessToken {
        AccessToken(value, lifetime: lifetime, requested: at(seconds))
    }

    @Test("The first caller starts a refresh, the others wait for it, and all are released at once")
    mutating func shared() {
        #expect(machine.need(1, at: Self.at(0)) == .waitAndRefresh)
        #expect(machine.need(2, at: Self.at(0)) == .wait)
        #expect(machine.need(3, at: Self.at(1)) == .wait)
        #expect(machine.refreshed(Self.token("t")) == [1, 2, 3])
        #expect(machine.need(4, at: Self.at(1)) == .use(Self.token("t")))
    }

    @Test("A reset discards the token; one that is being fetched is only for the callers that wait for it already")
    mutating func reset() {
        machine.reset()
        _ = machine.need(1, at: Self.at(0))
        _ = machine.refreshed(Self.token("a"))
        machine.reset()
        #expect(machine.need(2, at: Self.at(1)) == .waitAndRefresh)
        machine.reset()
        #expect(machine.need(3, at: Self.at(1)) == .wait)
        #expect(machine.waiters == [2, 3])
        #expect(machine.refreshed(Self.token("b")) == [2])
        #expect(machine.followUp(at: Self.at(2)) == .refresh)
        #expect(machine.waiters == [3])
        #expect(machine.need(4, at: Self.at(2)) == .wait)
        #expect(machine.refreshed(Self.token("c")) == [3, 4])
        #expect(machine.followUp(at: Self.at(2)) == .nothing)
        #expect(machine.need(5, at: Self.at(2)) == .use(Self.token("c")))
    }

    @Test("Callers that come after a reset wait for the next refresh, also if the one from before it fails")
    mutating func failedBeforeReset() {
        _ = machine.need(1, at: Self.at(0))
        machine.reset()
        #expect(machine.need(2, at: Self.at(0)) == .wait)
        machine.reset()
        #expect(machine.failed(at: Self.at(1)) == [1])
        #expect(machine.followUp(at: Self.at(1)) == .refresh)
        #expect(machine.refreshed(Self.token("t")) == [2])
        #expect(machine.need(3, at: Self.at(1)) == .use(Self.token("t")))
    }

    @Test("No refresh follows a reset if the callers that came after it have left, or if there were too many tokens")
    mutating func noFollowUp() {
        machine = TokenMachine(maxRefreshes: 1)
        _ = machine.need(1, at: Self.at(0))
        machine.reset()
        _ = machine.need(2, at: Self.at(0))
        #expect(machine.canceled(2) == true)
        #expect(machine.failed(at: Self.at(0)) == [1])
        #expect(machine.followUp(at: Self.at(0)) == .nothing)
        #expect(!machine.isRefreshing)
        _ = machine.need(3, at: Self.at(0))
        machine.reset()
        _ = machine.need(4, at: Self.at(0))
        #expect(machine.refreshed(Self.token("t")) == [3])
        #expect(machine.followUp(at: Self.at(0)) == .refuse([4]))
        #expect(machine.waiters.isEmpty)
        #expect(machine.need(5, at: Self.at(30)) == .waitAndRefresh)
    }

    @Test("A failed refresh releases all waiting callers, and after a pause the next caller starts another")
    mutating func failed() {
        _ = machine.need(1, at: Self.at(0))
        _ = machine.need(2, at: Self.at(0))
        #expect(machine.failed(at: Self.at(1)) == [1, 2])
        #expect(machine.need(3, at: Self.at(milliseconds: 1099)) == .failAgain)
        #expect(machine.waiters.isEmpty)
        #expect(machine.need(3, at: Self.at(milliseconds: 1100)) == .waitAndRefresh)
    }

    @Test("The pause doubles with each failure in a row, from 100 ms to 5 s")
    mutating func pauses() {
        var now: Int64 = 0
        for pause in [100, 200, 400, 800, 1600, 3200, 5000, 5000] as [Int64] {
            #expect(machine.need(1, at: Self.at(milliseconds: now)) == .waitAndRefresh)
            #expect(machine.failed(at: Self.at(milliseconds: now)) == [1])
            #expect(machine.need(2, at: Self.at(milliseconds: now + pause - 1)) == .failAgain)
            now += pause
        }
        #expect(machine.need(3, at: Self.at(milliseconds: now)) == .waitAndRefresh)
        #expect(machine.refreshed(Self.token("t", .zero)) == [3])
        #expect(machine.need(4, at: Self.at(milliseconds: now)) == .waitAndRefresh)
        #expect(machine.failed(at: Self.at(milliseconds: now)) == [4])
        #expect(machine.need(5, at: Self.at(milliseconds: now + 100)) == .waitAndRefresh)
    }

    @Test("Failed refreshes do not count: after five of them and a pause another begins")
    mutating func uncounted() {
        for second in 0..<5 as Range<Int64> {
            #expect(machine.need(1, at: Self.at(second)) == .waitAndRefresh)
            #expect(machine.failed(at: Self.at(second)) == [1])
        }
        #expect(machine.need(2, at: Self.at(5)) == .failAgain)
        #expect(machine.need(2, at: Self.at(6)) == .waitAndRefresh)
        #expect(machine.refreshed(Self.token("t")) == [2])
        #expect(machine.rejected("t", at: Self.at(7)) == .discarded)
    }

    @Test("A token that is still valid is used during the pause after a failed renewal")
    mutating func failedRenewal() {
        _ = machine.need(1, at: Self.at(0))
        let token = Self.token("t")
        _ = machine.refreshed(token)
        #expect(machine.need(2, at: Self.at(3580)) == .useAndRefresh(token))
        #expect(machine.failed(at: Self.at(3580)) == [])
        #expect(machine.need(3, at: Self.at(milliseconds: 3_580_099)) == .use(token))
        #expect(machine.need(4, at: Self.at(milliseconds: 3_580_100)) == .useAndRefresh(token))
    }

    @Test("A token that is refused in the pause after a failed renewal stays in use until that is over")
    mutating func refusedInPause() {
        _ = machine.need(1, at: Self.at(0))
        let token = Self.token("t")
        _ = machine.refreshed(token)
        #expect(machine.need(2, at: Self.at(3580)) == .useAndRefresh(token))
        #expect(machine.failed(at: Self.at(3580)) == [])
        #expect(machine.rejected("t", at: Self.at(milliseconds: 3_580_099)) == .keptInPause)
        #expect(machine.need(3, at: Self.at(milliseconds: 3_580_099)) == .use(token))
        #expect(machine.rejected("t", at: Self.at(milliseconds: 3_580_100)) == .discarded)
        #expect(machine.need(4, at: Self.at(milliseconds: 3_580_100)) == .waitAndRefresh)
    }

    @Test("A reset ends the pause, and the failure of a refresh that began before it causes none")
    mutating func resetPause() {
        _ = machine.need(1, at: Self.at(0))
        _ = machine.failed(at: Self.at(0))
        machine.reset()
        #expect(machine.need(2, at: Self.at(0)) == .waitAndRefresh)
        machine.reset()
        #expect(machine.failed(at: Self.at(0)) == [2])
        #expect(machine.need(3, at: Self.at(0)) == .waitAndRefresh)
    }

    @Test("Unexpected results change nothing")
    mutating func unasked() {
        #expect(machine.refreshed(Self.token("t")) == [])
        #expect(machine.failed(at: Self.at(0)) == [])
        #expect(machine.canceled(7) == false)
        #expect(machine.need(1, at: Self.at(0)) == .waitAndRefresh)
    }

    @Test("A token is renewed once, 30 s before its end, while it is still used")
    mutating func renewed() {
        _ = machine.need(1, at: Self.at(0))
        let old = Self.token("old")
        _ = machine.refreshed(old)
        #expect(machine.need(2, at: Self.at(3569)) == .use(old))
        #expect(machine.need(3, at: Self.at(3570)) == .useAndRefresh(old))
        #expect(machine.need(4, at: Self.at(3571)) == .use(old))
        #expect(machine.need(5, at: Self.at(3600)) == .wait)
        let new = Self.token("new", at: 3570)
        #expect(machine.refreshed(new) == [5])
        #expect(machine.need(6, at: Self.at(3601)) == .use(new))
    }

    @Test("A short-lived token is renewed in the last tenth of its lifetime")
    mutating func shortLived() {
        _ = machine.need(1, at: Self.at(0))
        let token = Self.token("t", .seconds(60))
        _ = machine.refreshed(token)
        #expect(machine.need(2, at: Self.at(53)) == .use(token))
        #expect(machine.need(2, at: Self.at(54)) == .useAndRefresh(token))
        #expect(machine.failed(at: Self.at(54)) == [])
        #expect(machine.need(3, at: Self.at(55)) == .useAndRefresh(token))
        #expect(machine.failed(at: Self.at(55)) == [])
        #expect(machine.need(4, at: Self.at(60)) == .waitAndRefresh)
    }

    @Test("A token of unknown lifetime is used until a server refuses it")
    mutating func endless() {
        _ = machine.need(1, at: Self.at(0))
        let token = Self.token("t", nil)
        _ = machine.refreshed(token)
        #expect(machine.need(2, at: Self.at(1_000_000)) == .use(token))
        #expect(machine.rejected("t", at: Self.at(1_000_000)) == .discarded)
        #expect(machine.need(2, at: Self.at(1_000_000)) == .waitAndRefresh)
    }

    @Test("Only the refusal of the current token discards it")
    mutating func rejected() {
        _ = machine.need(1, at: Self.at(0))
        _ = machine.refreshed(Self.token("new"))
        #expect(machine.rejected("old", at: Self.at(1)) == .outdated)
        #expect(machine.need(2, at: Self.at(1)) == .use(Self.token("new")))
        #expect(machine.rejected("new", at: Self.at(1)) == .discarded)
        #expect(machine.rejected("new", at: Self.at(1)) == .outdated)
        #expect(machine.need(3, at: Self.at(1)) == .waitAndRefresh)
        #expect(machine.need(4, at: Self.at(1)) == .wait)
    }

    @Test("A refusal during a renewal waits for that renewal")
    mutating func rejectedMeanwhile() {
        _ = machine.need(1, at: Self.at(0))
        _ = machine.refreshed(Self.token("old"))
        _ = machine.need(2, at: Self.at(3580))
        #expect(machine.rejected("old", at: Self.at(3581)) == .discarded)
        #expect(machine.need(3, at: Self.at(3581)) == .wait)
    }

    @Test("A refused token stays in use while no other may be requested, so that other callers have one")
    mutating func kept() {
        for number in 1...UInt64(TokenMachine.maxRefreshes) {
            #expect(machine.need(number, at: Self.at(0)) == .waitAndRefresh)
            _ = machine.refreshed(Self.token("t\(number)"))
            let isLast = number == TokenMachine.maxRefreshes
            #expect(machine.rejected("t\(number)", at: Self.at(0)) == (isLast ? .kept : .discarded))
        }
        #expect(machine.need(9, at: Self.at(29)) == .use(Self.token("t5")))
        #expect(machine.rejected("t5", at: Self.at(30)) == .discarded)
        #expect(machine.need(9, at: Self.at(30)) == .waitAndRefresh)
    }

    @Test("A token that has expired on arrival is used only by the callers that waited")
    mutating func bornDead() {
        _ = machine.need(1, at: Self.at(0))
        #expect(machine.refreshed(Self.token("t", .zero)) == [1])
        #expect(machine.need(2, at: Self.at(0)) == .waitAndRefresh)
    }

    @Test("A canceled caller is not released later, and the refresh continues for the others")
    mutating func canceled() {
        _ = machine.need(1, at: Self.at(0))
        _ = machine.need(2, at: Self.at(0))
        #expect(machine.canceled(1) == true)
        #expect(machine.canceled(1) == false)
        #expect(machine.waiters == [2])
        #expect(machine.canceled(2) == true)
        #expect(machine.need(3, at: Self.at(0)) == .wait)
        #expect(machine.refreshed(Self.token("t")) == [3])
    }

    @Test("The sixth token within 30 s is refused, and allowed once the first is old enough")
    mutating func excessive() {
        for second in 0..<5 as Range<Int64> {
            #expect(machine.need(1, at: Self.at(second)) == .waitAndRefresh)
            #expect(machine.refreshed(Self.token("t", .seconds(5), at: second)) == [1])
            #expect(machine.rejected("t", at: Self.at(second)) == (second < 4 ? .discarded : .kept))
        }
        #expect(machine.need(2, at: Self.at(29)) == .refuse)
        #expect(machine.waiters.isEmpty)
        #expect(machine.need(2, at: Self.at(30)) == .waitAndRefresh)
        #expect(machine.refreshed(Self.token("t", .zero, at: 30)) == [2])
        #expect(machine.need(3, at: Self.at(30)) == .refuse)
    }

    @Test("Too many refreshes do not affect a token that is still valid")
    mutating func excessiveRenewal() {
        // To be renewed from 90 s on.
        let token = Self.token("t", .seconds(100))
        #expect(machine.need(1, at: Self.at(95)) == .waitAndRefresh)
        _ = machine.refreshed(token)
        for _ in 0..<4 {
            #expect(machine.need(2, at: Self.at(95)) == .useAndRefresh(token))
            _ = machine.refreshed(token)
        }
        #expect(machine.need(2, at: Self.at(96)) == .use(token))
        #expect(machine.need(2, at: Self.at(100)) == .refuse)
    }

    @Test(
        "In every sequence each waiting caller is released once, and tokens stay within the limit",
        arguments: 0..<50)
    func anyOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var machine = TokenMachine()
        var waiting: Set<TokenMachine.Waiter> = []
        // The callers that came after a reset during a refresh.
        var later: Set<TokenMachine.Waiter> = []
        var isReset = false
        var start: Int64?
        var starts: [Int64] = []
        var now: Int64 = 0
        for step in 0..<2000 as Range<UInt64> {
            now += Int64.random(in: 0..<4, using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0:
                #expect(
                    machine.refreshed(Self.token("t", .seconds(Int64.random(in: 0..<60, using: &random)), at: now))
                        == waiting)
                waiting = []
                if let start { starts.append(start) }
                start = nil
            case 1:
                #expect(machine.failed(at: Self.at(now)) == waiting)
                waiting = []
                start = nil
            case 2:
                // Sorted, because the order of a set differs in each process.
                if let waiter = waiting.union(later).sorted().randomElement(using: &random) {
                    #expect(machine.canceled(waiter) == true)
                    waiting.remove(waiter)
                    later.remove(waiter)
                }
            case 3:
                _ = machine.rejected("t", at: Self.at(now))
            case 4:
                machine.reset()
                isReset = start != nil
            default:
                switch machine.need(step, at: Self.at(now)) {
                case .use, .failAgain, .refuse: break
                case .useAndRefresh: start = now
                case .wait where isReset: later.insert(step)
                case .wait: waiting.insert(step)
                case .waitAndRefresh:
                    #expect(waiting.isEmpty)
                    waiting.insert(step)
                    start = now
                }
            }
            if start == nil { isReset = false }
            switch machine.followUp(at: Self.at(now)) {
            case .nothing:
                #expect(start != nil || later.isEmpty)
            case .refresh:
                waiting = later
                later = []
                start = now
            case .refuse(let refused):
                #expect(refused == later)
                later = []
            }
            #expect(machine.waiters == waiting.union(later))
            #expect(machine.isRefreshing == (start != nil))
        }
        for (first, sixth) in zip(starts, starts.dropFirst(TokenMachine.maxRefreshes)) {
            #expect(sixth - first >= TokenMachine.window.components.seconds)
        }
    }
}
