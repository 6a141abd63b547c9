import SessionCore
import Testing

@Suite("A set of statuses")
struct StatusSetTests {
    @Test("has the statuses of its ranges, ends included")
    func contains() {
        let set = StatusSet([200...299, 304...304])
        for status in [200, 250, 299, 304] { #expect(set.contains(status)) }
        for status in [199, 300, 303, 305, 404] { #expect(!set.contains(status)) }
    }

    @Test("without ranges has none")
    func empty() {
        #expect(!StatusSet([]).contains(200))
    }

    @Test("is written as a configuration writes it")
    func description() {
        #expect(StatusSet([200...299, 304...304]).description == "200-299, 304")
    }
}
