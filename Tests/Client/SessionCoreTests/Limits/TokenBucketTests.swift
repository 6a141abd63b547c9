import ErrandSessionCore
import ErrandSupport
import Testing

@Suite("TokenBucket")
struct TokenBucketTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Double) -> ContinuousClock.Instant {
        start.advanced(by: .nanoseconds(Int64(milliseconds * 1_000_000)))
    }

    /// Returns the results of taking a token at each of these times.
    private func take(from bucket: inout TokenBucket, at times: ContinuousClock.Instant...) -> [Bool] {
        var taken: [Bool] = []
        for time in times { taken.append(bucket.take(at: time)) }
        return taken
    }

    @Test("A full bucket gives its capacity at once, then nothing")
    func burst() {
        var bucket = TokenBucket(3, per: .seconds(1), at: start)
        let taken = take(from: &bucket, at: start, start, start, start)
        #expect(taken == [true, true, true, false])
        #expect(bucket.remaining(at: start) == 0)
    }

    @Test("It fills evenly, to the nanosecond, up to its capacity")
    func refill() {
        var bucket = TokenBucket(10, per: .seconds(1), at: start)
        for _ in 0..<10 { _ = bucket.take(at: start) }
        let taken = take(from: &bucket, at: at(99.999_999), at(100), at(100))
        #expect(taken == [false, true, false])
        #expect(bucket.remaining(at: at(600)) == 5)
        #expect(bucket.remaining(at: at(86_400_000)) == 10)
    }

    @Test("It returns the time until the next token and until it is full")
    func times() {
        var bucket = TokenBucket(4, per: .seconds(60), at: start)
        #expect(bucket.timeUntilNext(at: start) == .zero)
        #expect(bucket.timeUntilFull(at: start) == .zero)
        for _ in 0..<4 { _ = bucket.take(at: start) }
        #expect(bucket.timeUntilNext(at: start) == .seconds(15))
        #expect(bucket.timeUntilFull(at: start) == .seconds(60))
        #expect(bucket.timeUntilNext(at: at(14_000)) == .seconds(1))
        #expect(bucket.timeUntilFull(at: at(30_000)) == .seconds(30))
    }

    @Test("The time until the next token is sufficient, and a nanosecond less is not", arguments: [1, 3, 7, 9973])
    func exactWait(count: Int) {
        for period in [Duration.seconds(1), .seconds(60), .seconds(3600)] {
            var bucket = TokenBucket(count, per: period, at: start)
            for _ in 0..<count { _ = bucket.take(at: start) }
            let wait = bucket.timeUntilNext(at: start)
            let times = (start.advanced(by: wait - .nanoseconds(1)), start.advanced(by: wait))
            let taken = take(from: &bucket, at: times.0, times.1)
            #expect(taken == [false, true])
        }
    }

    @Test("No period gets more than the capacity plus the tokens of a period, and none is lost")
    func anyTimes() {
        var random = SplitMix64(seed: 7)
        for count in [1, 2, 7, 100] {
            var bucket = TokenBucket(count, per: .seconds(1), at: start)
            var now = start
            var taken: [ContinuousClock.Instant] = []
            for _ in 0..<5000 {
                now = now.advanced(by: .microseconds(Int64.random(in: 0...20_000, using: &random)))
                if bucket.take(at: now) { taken.append(now) }
            }
            for (index, time) in taken.enumerated() {
                let inPeriod = taken[index...].prefix { time.duration(to: $0) < .seconds(1) }.count
                #expect(inPeriod <= 2 * count)
            }
            let whole = start.duration(to: now)
            #expect(taken.count <= count + Int(whole / .seconds(1) * Double(count)) + 1)
            if count < 50 { #expect(taken.count >= Int(whole / .seconds(1) * Double(count)) - 1, "asked often enough") }
        }
    }

    @Test("A time that goes back neither adds nor removes tokens")
    func backwards() {
        var bucket = TokenBucket(2, per: .seconds(1), at: start)
        _ = bucket.take(at: at(1000))
        #expect(bucket.remaining(at: at(0)) == 1)
        let taken = take(from: &bucket, at: at(0), at(0), at(1500))
        #expect(taken == [true, false, true])
    }

    @Test("The largest rate of a configuration is counted without overflow")
    func largest() {
        var bucket = TokenBucket(1_000_000_000, per: .seconds(3600), at: start)
        _ = bucket.take(at: start)
        #expect(bucket.remaining(at: start) == 999_999_999)
        #expect(bucket.timeUntilFull(at: start) == .nanoseconds(3600))
        #expect(bucket.remaining(at: at(1000)) == 1_000_000_000)
    }

    @Test("Its capacity is as given, independent of the rate")
    func capacity() {
        var bucket = TokenBucket(10, per: .seconds(1), capacity: 2, at: start)
        let taken = take(from: &bucket, at: start, start, start)
        #expect(taken == [true, true, false])
        #expect(bucket.timeUntilFull(at: start) == .milliseconds(200))
        #expect(bucket.remaining(at: at(86_400_000)) == 2)
        #expect(TokenBucket(10, per: .seconds(1), capacity: 0, at: start).capacity == 1)
    }

    @Test("A returned token can be taken again, and does not exceed the capacity")
    func giveBack() {
        var bucket = TokenBucket(2, per: .seconds(1), at: start)
        _ = bucket.take(at: start)
        for _ in 0..<3 { bucket.giveBack() }
        #expect(bucket.remaining(at: start) == 2)
    }

    @Test("A debt is refilled before any token can be taken")
    func debt() {
        var bucket = TokenBucket(10, per: .seconds(1), capacity: 5, at: start)
        bucket.spend(25, at: start)
        #expect(bucket.remaining(at: start) == 0)
        #expect(bucket.timeUntilPaid(at: start) == .seconds(2))
        #expect(bucket.timeUntilNext(at: start) == .milliseconds(2100))
        let taken = take(from: &bucket, at: at(2099), at(2100))
        #expect(taken == [false, true])
        bucket.spend(-3, at: at(2100))
        #expect(bucket.remaining(at: at(2100)) == 0)
    }

    @Test("A bucket with another rate adopts the content or debt of the former, up to its capacity")
    func takeOver() {
        var former = TokenBucket(10, per: .seconds(1), at: start)
        var next = TokenBucket(100, per: .seconds(1), capacity: 4, at: start)
        next.takeOver(former, at: start)
        #expect(next.remaining(at: start) == 4)
        former.spend(60, at: start)
        next.takeOver(former, at: start)
        #expect(next.timeUntilPaid(at: start) == .milliseconds(500))
        var other = TokenBucket(1, per: .seconds(60), at: start)
        other.takeOver(former, at: start)
        #expect(other.remaining(at: start) == 1, "a bucket with another period is not adopted")
    }
}
