import ErrandTransfer
import Testing

@testable import ErrandCurlEngine

@Suite("AbandonedLookups")
struct AbandonedLookupsTests {
    private let pool = PoolID(session: 0)
    private let other = PoolID(session: 1)

    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    @Test("keep their session from more lookups until they end, and other sessions only when all are too many")
    func limits() {
        var lookups = AbandonedLookups(limits: AbandonedLookups.Limits(ofPool: 2, ofAll: 3))
        for number in 0..<2 {
            let limit = lookups.reachedLimit(of: pool, at: at(0))
            #expect(limit == nil)
            lookups.add(number, of: pool)
        }
        let full = [pool, other].map { lookups.reachedLimit(of: $0, at: at(0)) }
        #expect(full == [2, nil])
        lookups.add(2, of: other)
        let all = [pool, other].map { lookups.reachedLimit(of: $0, at: at(0)) }
        #expect(all == [3, 3])
        lookups.end(0)
        // A lookup ends once.
        lookups.end(0)
        let ended = [pool, other].map { lookups.reachedLimit(of: $0, at: at(0)) }
        #expect(ended == [nil, nil])
    }

    @Test("count for a fixed time if their end is not seen, and only for their session")
    func unseen() {
        var lookups = AbandonedLookups(limits: AbandonedLookups.Limits(ofPool: 2, ofAll: 2))
        lookups.addUnseen(of: pool, at: at(0))
        lookups.addUnseen(of: pool, at: at(30))
        let ofOther = lookups.reachedLimit(of: other, at: at(30))
        #expect(ofOther == nil)
        let limits = [59, 60].map { lookups.reachedLimit(of: pool, at: at($0)) }
        #expect(limits == [2, nil])
    }
}
