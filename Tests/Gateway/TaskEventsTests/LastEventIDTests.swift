import Testing

@testable import ErrandTaskEvents

@Suite("LastEventID")
struct LastEventIDTests {
    @Test("is a decimal number", arguments: [("0", 0), ("17", 17), ("007", 7), ("9223372036854775807", Int64.max)])
    func numbers(text: String, number: Int64) {
        #expect(LastEventID(text)?.number == number)
    }

    @Test(
        "refuses any other text",
        arguments: ["", " ", "-1", "+1", "1 ", " 1", "1.0", "1e3", "0x1", "1, 2", "٣", "9223372036854775808", "abc"])
    func others(text: String) {
        #expect(LastEventID(text) == nil)
    }
}
