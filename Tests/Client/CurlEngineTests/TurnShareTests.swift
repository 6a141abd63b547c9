import Testing

@testable import ErrandCurlEngine

@Suite("The share of a turn")
struct TurnShareTests {
    @Test("is used up by many small pieces or by few large ones, and begins again with the next turn")
    func limits() {
        var share = TurnShare()
        let small = (0..<1024).map { _ in share.take(1, in: 1) }
        #expect(small.firstIndex(of: true) == 1023)
        let large = [share.take(1, in: 2), share.take(262_144, in: 2)]
        #expect(large == [false, true])
        let next = [share.take(262_143, in: 3), share.take(1, in: 3)]
        #expect(next == [false, true])
    }
}
