import ErrandSessionCore
import Testing

@Suite("A set of statuses")
struct StatusSetTests {
    @Test("contains the statuses of its ranges, including their ends")
    func contains() {
        let set = StatusSet([200...299, 304...304])
        for status in [200, 250, 299, 304] { #expect(set.contains(status)) }
        for status in [199, 300, 303, 305, 404] { #expect(!set.contains(status)) }
    }

    @Test("is empty without ranges")
    func empty() {
        #expect(!StatusSet([]).contains(200))
    }

    @Test("is a literal of ranges")
    func literal() {
        let set: StatusSet = [200...299, 304...304]
        #expect(set == StatusSet([200...299] + [304...304]))
        #expect(!([] as StatusSet).contains(200))
    }

    @Test("may contain every status of HTTP, with those that no standard knows")
    func any() {
        for status in [100, 200, 304, 401, 599, 600, 999] { #expect(StatusSet.any.contains(status)) }
        for status in [99, 1000] { #expect(!StatusSet.any.contains(status)) }
    }

    @Test("is written in the format of a configuration")
    func description() {
        #expect(StatusSet([200...299, 304...304]).description == "200-299, 304")
    }
}
