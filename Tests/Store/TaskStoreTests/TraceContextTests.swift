import ErrandTaskStore
import Testing

@Suite("TraceContext")
struct TraceContextTests {
    private static let traceID = [UInt8](0x10...0x1F)
    private static let parentID = [UInt8](0x20...0x27)

    @Test("The stored form has all parts")
    func parts() throws {
        let context = try #require(
            TraceContext(traceID: Self.traceID, parentID: Self.parentID, isSampled: true, state: "a=1"))
        #expect(context.traceID == "101112131415161718191a1b1c1d1e1f")
        #expect(context.parentID == "2021222324252627")
        #expect(context.isSampled)
        #expect(context.state == "a=1")
        #expect(TraceContext(bytes: context.bytes) == context)
        let plain = try #require(TraceContext(traceID: Self.traceID, parentID: Self.parentID, isSampled: false))
        #expect(!plain.isSampled)
        #expect(plain.state == nil)
        #expect(plain.bytes.count == 25)
        #expect(TraceContext(bytes: plain.bytes) == plain)
    }

    @Test("Identifiers of zeros and other lengths are refused")
    func identifiers() {
        let zeros = [UInt8](repeating: 0, count: 16)
        #expect(TraceContext(traceID: zeros, parentID: Self.parentID, isSampled: true) == nil)
        #expect(TraceContext(traceID: Self.traceID, parentID: Array(zeros.prefix(8)), isSampled: true) == nil)
        #expect(TraceContext(traceID: Self.traceID + [1], parentID: Self.parentID, isSampled: true) == nil)
        #expect(TraceContext(traceID: Self.traceID, parentID: Self.traceID, isSampled: true) == nil)
    }

    @Test("Damaged stored forms are refused", arguments: [24, 0])
    func short(length: Int) {
        let bytes = Self.traceID + Self.parentID + [1]
        #expect(TraceContext(bytes: Array(bytes.prefix(length))) == nil)
    }

    @Test(
        "Stored text that would not be one line of printable ASCII is refused",
        arguments: ["a=1\r\nX: y", "é", "\u{7F}"])
    func text(state: String) {
        #expect(TraceContext(traceID: Self.traceID, parentID: Self.parentID, isSampled: true, state: state) == nil)
        #expect(TraceContext(bytes: Self.traceID + Self.parentID + [2]) == nil)
    }
}
