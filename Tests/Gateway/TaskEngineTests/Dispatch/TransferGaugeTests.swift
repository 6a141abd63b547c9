import ErrandTransfer
import Testing

@testable import ErrandTaskEngine

@Suite("TransferGauge")
struct TransferGaugeTests {
    private let begin = ContinuousClock.now
    private let gauge: TransferGauge

    init() {
        gauge = TransferGauge(since: begin)
    }

    private func rates(_ progress: TransferProgress, at milliseconds: Int64) -> TransferRates {
        gauge.rates(at: progress, begin.advanced(by: .milliseconds(milliseconds)))
    }

    @Test("The first rates are those since the attempt began, later ones approach the present ones")
    func first() {
        let first = rates(TransferProgress(sent: 500, received: 4000), at: 2000)
        #expect(first == TransferRates(sent: 250, received: 2000))
        // Two seconds later, half of the change counts.
        let second = rates(TransferProgress(sent: 500, received: 12_000), at: 4000)
        #expect(second == TransferRates(sent: 125, received: 3000))
    }

    @Test("Reads in quick succession give the same rates")
    func quick() {
        let rate = TransferRates(received: 10_000)
        #expect(rates(TransferProgress(received: 1000), at: 100) == rate)
        #expect(rates(TransferProgress(received: 9000), at: 150) == rate)
        #expect(rates(TransferProgress(received: 9001), at: 199) == rate)
    }

    @Test("Before the first bytes there is no rate, and another transfer of the attempt makes none negative")
    func anotherTransfer() {
        #expect(rates(TransferProgress(), at: 1000) == TransferRates())
        #expect(rates(TransferProgress(received: 1000), at: 2000) == TransferRates(received: 1000))
        #expect(rates(TransferProgress(received: 10), at: 3000) == TransferRates(received: 1000))
        #expect(rates(TransferProgress(received: 2010), at: 5000) == TransferRates(received: 1000))
    }
}
