import ErrandSupport
import ErrandTaskStore
import Testing

@testable import ErrandTaskEngine

@Suite("ContentsUnderWay")
struct ContentsUnderWayTests {
    private static func stream() -> ContentStream {
        ContentStream(AsyncStream<[UInt8]> { $0.finish() }, length: 0, maxBytes: nil)
    }

    @Test("A task takes content from one client at a time")
    func once() {
        let contents = ContentsUnderWay()
        let (stored, passedOn) = (TaskID.sample(1), TaskID.sample(2))
        #expect(contents.begin(stored) == .admitted)
        #expect(contents.begin(stored) == .taken)
        #expect(contents.begin(stored, passing: Self.stream()) == .taken)
        #expect(contents.begin(passedOn, passing: Self.stream()) == .admitted)
        #expect(contents.begin(passedOn) == .taken)
        #expect(contents.stream(of: passedOn) != nil && contents.stream(of: stored) == nil)
        #expect(contents.passedOn == [passedOn])
        for id in [stored, passedOn] {
            contents.end(id)
            #expect(contents.begin(id) == .admitted)
        }
    }

    @Test("Contents that are passed on, which may wait for long, take no places of those that are stored")
    func places() {
        let contents = ContentsUnderWay()
        let limit = ContentsUnderWay.limit
        for number in 0..<limit {
            #expect(contents.begin(.sample(number), passing: Self.stream()) == .admitted)
        }
        #expect(contents.begin(.sample(limit), passing: Self.stream()) == .full)
        for number in limit..<2 * limit { #expect(contents.begin(.sample(number)) == .admitted) }
        #expect(contents.begin(.sample(2 * limit)) == .full)
    }
}
