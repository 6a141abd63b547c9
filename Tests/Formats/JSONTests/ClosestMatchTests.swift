import ErrandJSON
import Testing

@Suite("Closest matches")
struct ClosestMatchTests {
    static let names = ["url", "method", "headers", "parameters", "priority", "timeouts", "request_serializer"]

    @Test(
        "A typing error finds the intended word",
        arguments: [
            ("ulr", "url"), ("rul", "url"), ("uri", "url"), ("ur", "url"), ("urll", "url"), ("URL", "url"),
            ("header", "headers"), ("haeders", "headers"), ("Header", "headers"), ("paramaters", "parameters"),
            ("prioritty", "priority"), ("timeout", "timeouts"), ("requestSerializer", "request_serializer"),
            ("request-serializer", "request_serializer"), ("methd", "method"), ("emthod", "method"),
        ])
    func close(word: String, meant: String) {
        #expect(closestMatch(to: word, among: Self.names) == meant)
    }

    @Test(
        "What is not close has no match", arguments: ["", "u", "x", "xyz", "body", "retry", "callback", "zeaders1234"])
    func far(word: String) {
        #expect(closestMatch(to: word, among: Self.names) == nil)
    }

    @Test("The closest candidate is returned, and the first of equally close ones")
    func closest() {
        #expect(closestMatch(to: "timeout", among: ["timers", "timeouts", "timeoux"]) == "timeouts")
        #expect(closestMatch(to: "abcx", among: ["abcd", "abce"]) == "abcd")
        #expect(closestMatch(to: "abcd", among: ["abce", "abcd"]) == "abcd")
    }

    @Test("A swap of neighbours is one step, a swap across a letter is two")
    func swaps() {
        #expect(closestMatch(to: "abc", among: ["acb"]) == "acb")
        #expect(closestMatch(to: "abc", among: ["cba"]) == nil)
    }

    @Test("A single letter matches only itself, in any case")
    func short() {
        #expect(closestMatch(to: "a", among: ["b", "ab"]) == nil)
        #expect(closestMatch(to: "A", among: ["b", "a"]) == "a")
        #expect(closestMatch(to: "", among: ["a", ""]) == nil)
    }

    @Test("A word that is a part of one name means that name, unless another name is closer")
    func parts() {
        let names = ["max_attempts", "max_elapsed", "budget"]
        #expect(likelyName(of: "attempts", among: names) == "max_attempts")
        #expect(likelyName(of: "Elapsed", among: names) == "max_elapsed")
        #expect(likelyName(of: "max", among: names) == nil)
        #expect(likelyName(of: "attempt", among: names) == nil)
        #expect(likelyName(of: "attempts", among: names + ["attempt"]) == "attempt")
        #expect(likelyName(of: "", among: names) == nil)
    }

    @Test("Words of any length are compared in bounded time")
    func long() {
        let word = String(repeating: "x", count: 1_000_000)
        #expect(closestMatch(to: word, among: Self.names) == nil)
    }
}
