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
}
