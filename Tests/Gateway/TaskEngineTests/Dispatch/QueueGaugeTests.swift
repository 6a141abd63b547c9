import Testing

@testable import ErrandTaskEngine

@Suite("QueueGauge")
struct QueueGaugeTests {
    @Test("Tasks that are being stored count, and those that arrived since the store was asked")
    func length() {
        var gauge = QueueGauge()
        gauge.begin()
        #expect(gauge.length(counted: 3, arrivedBefore: gauge.arrived) == 4)
        let before = gauge.arrived
        gauge.end(isStored: true)
        #expect(gauge.length(counted: 3, arrivedBefore: before) == 4, "it is unknown if the store has counted it")
        #expect(gauge.length(counted: 4, arrivedBefore: gauge.arrived) == 4)
    }

    @Test("Tasks that could not be stored no longer count")
    func failed() {
        var gauge = QueueGauge()
        gauge.begin()
        gauge.end(isStored: false)
        #expect(gauge.length(counted: 0, arrivedBefore: 0) == 0)
    }
}
