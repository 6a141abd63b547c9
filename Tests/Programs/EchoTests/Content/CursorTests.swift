import Testing

@testable import ErrandEcho

@Suite("A cursor")
struct CursorTests {
    @Test("returns every position once, in order, and then nothing")
    func order() {
        let cursor = Cursor(5..<12)
        #expect(cursor.take(upTo: 3) == 5..<8)
        #expect(cursor.take(upTo: 3) == 8..<11)
        #expect(cursor.take(upTo: 3) == 11..<12)
        #expect(cursor.take(upTo: 3) == nil)
        #expect(Cursor(4..<4).take(upTo: 1) == nil)
    }
}
