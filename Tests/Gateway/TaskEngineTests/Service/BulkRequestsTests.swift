import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("BulkRequests", .timeLimit(.hang))
struct BulkRequestsTests {
    @Test("Only a number of bulk calls is under way at a time; others are refused, and may be repeated with their key")
    func limit() async throws {
        let requests = BulkRequests()
        let (begun, end) = (EventLog<Int>(), Signal<Void>())
        let key = IdempotencyKeysInUse.Owned(owner: nil, key: try #require(IdempotencyKey("a")))
        let call = BulkWork.Call(.cancel, on: .ids([]))
        await withTaskGroup(of: Void.self) { group in
            defer { end.send() }
            for number in 0..<BulkRequests.maxUnderWay {
                group.addTask {
                    let outcome = await requests.run {
                        begun.append(number)
                        await end.wait()
                        return BulkWork.Outcome(matched: 1)
                    }
                    #expect(outcome.matched == 1)
                }
            }
            _ = await begun.first(BulkRequests.maxUnderWay)
            let refused = await requests.run { BulkWork.Outcome(matched: 1) }
            #expect(refused.error?.code == .tooManyReads)
            #expect(refused.matched == 0)
            guard case .done(let keyed, false) = await requests.run(call, key: key, { BulkWork.Outcome() })
            else {
                Issue.record("The key was not used before")
                return
            }
            #expect(keyed.error?.code == .tooManyReads)
        }
        guard case .done(let repeated, false) = await requests.run(call, key: key, { .init(matched: 2) })
        else {
            Issue.record("The refused call is not remembered")
            return
        }
        #expect(repeated.matched == 2)
    }

    /// Returns a key for tests.
    private func key(_ text: String) throws -> IdempotencyKeysInUse.Owned {
        IdempotencyKeysInUse.Owned(owner: nil, key: try #require(IdempotencyKey(text)))
    }

    @Test("A call under way keeps its key however many others end meanwhile; of those, the newest are remembered")
    func eviction() async throws {
        let requests = BulkRequests()
        let call = BulkWork.Call(.cancel, on: .ids([]))
        let (begun, end) = (EventLog<Int>(), Signal<Void>())
        /// Performs the call with a key, and returns true if an earlier one had the key.
        @Sendable func isReplayed(_ key: IdempotencyKeysInUse.Owned) async -> Bool {
            guard case .done(_, isReplayed: true) = await requests.run(call, key: key, { .init(matched: 1) }) else {
                return false
            }
            return true
        }
        let slow = try key("slow")
        let first = Task {
            await requests.run(call, key: slow) {
                begun.append(1)
                await end.wait()
                return BulkWork.Outcome(matched: 1)
            }
        }
        _ = await begun.first(1)
        var keys: [IdempotencyKeysInUse.Owned] = []
        for number in 0...BulkRequests.limit { keys.append(try key("\(number)")) }
        for key in keys { #expect(await !isReplayed(key)) }
        let second = Task {
            await requests.run(call, key: slow) {
                begun.append(2)
                return BulkWork.Outcome(matched: 2)
            }
        }
        #expect(await isReplayed(keys[1]))
        end.send()
        for (run, replayed) in [(first, false), (second, true)] {
            guard case .done(let outcome, replayed) = await run.value else {
                Issue.record("The key was forgotten")
                continue
            }
            #expect(outcome.matched == 1)
        }
        #expect(begun.events == [1])
        #expect(await !isReplayed(keys[0]), "the oldest one is forgotten")
    }
}
