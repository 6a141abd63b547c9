import Testing

@testable import ErrandCurlEngine

@Suite("The share of a turn")
struct TurnShareTests {
    @Test("is used up by many small pieces or by few large ones, and begins again with the next turn")
    func limits() {
        var share = TurnShare()
        for _ in 0..<1023 { #expect(!share.take(1, in: 1)) }
        #expect(share.take(1, in: 1))
        #expect(!share.take(1, in: 2))
        #expect(share.take(262_144, in: 2))
        #expect(!share.take(262_143, in: 3))
        #expect(share.take(1, in: 3))
    }
}
