import ErrandCryptography
import ErrandLocking
import Testing

@Suite("RandomReserve")
struct RandomReserveTests {
    @Test("The kernel is asked once for 32 numbers, and each of its bits is used once")
    func once() {
        let calls = Mutex(0)
        var reserve = RandomReserve { count in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            // The numbers of the second call begin in the middle of those of the first.
            return (0..<count).map { UInt8(truncatingIfNeeded: $0 + 4 * call) }
        }
        let numbers = (0..<64).map { _ in reserve.next() }
        #expect(calls.withLock { $0 } == 2)
        #expect(Set(numbers).count == 64)
        #expect(numbers.contains(0x0405_0607_0809_0A0B))
    }

    @Test("Numbers come from the system if the kernel gives no bytes")
    func refused() {
        var reserve = RandomReserve { _ in nil }
        #expect(reserve.next() != reserve.next())
    }

    @Test("Reserves have different numbers")
    func distinct() {
        var reserves = (RandomReserve(), RandomReserve())
        #expect(Set((0..<100).flatMap { _ in [reserves.0.next(), reserves.1.next()] }).count == 200)
    }
}
