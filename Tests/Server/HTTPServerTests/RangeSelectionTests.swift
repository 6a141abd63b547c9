import ErrandHTTPServer
import Testing

@Suite("RangeSelection")
struct RangeSelectionTests {
    private static func part(_ offset: Int64, _ length: Int64) -> RangeSelection {
        .part(ByteRange(offset: offset, length: length))
    }

    @Test(
        "a single range selects a part, clipped to the end",
        arguments: [
            ("bytes=0-9", part(0, 10)),
            ("bytes=0-0", part(0, 1)),
            ("bytes=90-", part(90, 10)),
            ("bytes=-10", part(90, 10)),
            ("bytes=-1000", part(0, 100)),
            ("bytes=95-1000", part(95, 5)),
            ("bytes=99-99999999999999999999999", part(99, 1)),
            ("Bytes=5-6", part(5, 2)),
            ("bytes= 5-6 ", part(5, 2)),
        ])
    func parts(range: String, expected: RangeSelection) {
        #expect(RangeSelection(range: range, size: 100) == expected)
    }

    @Test(
        "a range after the end cannot be satisfied",
        arguments: [
            "bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-",
        ])
    func unsatisfiable(range: String) {
        #expect(RangeSelection(range: range, size: 100) == .unsatisfiable)
    }

    @Test("no range of an empty representation can be satisfied", arguments: ["bytes=0-", "bytes=-5", "bytes=0-0"])
    func empty(range: String) {
        #expect(RangeSelection(range: range, size: 0) == .unsatisfiable)
    }

    @Test(
        "values other than a single byte range are ignored",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=1-2,4-5", "lines=1-2", "bytes=+1-2",
            "bytes=1 - 2", "bytes=1", "bytes=--1",
        ])
    func ignored(range: String?) {
        #expect(RangeSelection(range: range, size: 100) == .whole)
    }

    @Test(
        "If-Range permits a range only for the same strong tag",
        arguments: [
            ("\"v1\"", true), ("\"v2\"", false), ("W/\"v1\"", false), ("Sat, 21 Nov 2026 05:06:28 GMT", false),
            ("v1", false),
        ])
    func ifRange(value: String, passes: Bool) {
        let tag = EntityTag(opaque: "v1")
        let selection = RangeSelection(range: "bytes=0-9", ifRange: value, entityTag: tag, size: 100)
        #expect(selection == (passes ? Self.part(0, 10) : .whole))
        #expect(RangeSelection(range: "bytes=0-9", ifRange: value, entityTag: nil, size: 100) == .whole)
    }

    @Test("Content-Range has the part and the total size")
    func contentRange() {
        #expect(ByteRange(offset: 5, length: 10).contentRange(size: 100) == "bytes 5-14/100")
        #expect(RangeSelection.unsatisfiedContentRange(size: 100) == "bytes */100")
    }
}
