import Testing

@testable import Gateway

@Suite("QueueGauge")
struct QueueGaugeTests {
    @Test("What is on its way counts, and what has arrived since the store was asked")
    func length() {
        var gauge = QueueGauge()
        gauge.begin()
        #expect(gauge.length(counted: 3, arrivedBefore: gauge.arrived) == 4)
        let before = gauge.arrived
        gauge.end(isStored: true)
        #expect(gauge.length(counted: 3, arrivedBefore: before) == 4, "whether the store has counted it, nobody knows")
        #expect(gauge.length(counted: 4, arrivedBefore: gauge.arrived) == 4)
    }

    @Test("What could not be stored counts no more")
    func failed() {
        var gauge = QueueGauge()
        gauge.begin()
        gauge.end(isStored: false)
        #expect(gauge.length(counted: 0, arrivedBefore: 0) == 0)
    }
}
