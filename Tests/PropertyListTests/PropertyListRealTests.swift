import JSON
import PropertyList
import Testing

@Suite("Reals of property lists")
struct PropertyListRealTests {
    @Test(
        "What JSON writes the same way is kept as it is written",
        arguments: ["1.10", "1e400", "-0.0", "1E5", "0", "12345678901234567890.5"])
    func lexemes(text: String) throws {
        #expect(try #require(PropertyListReal(text)).number?.lexeme == text)
        #expect(
            try #require(PropertyListReal("+" + (text.hasPrefix("-") ? "1" : text))).number?.lexeme.contains("+")
                == false)
    }

    @Test("What C reads besides is a value without a text")
    func values() throws {
        for (text, value) in [
            (".5", 0.5), ("-.5", -0.5), ("007.5", 7.5), ("infinity", .infinity), ("-inf", -.infinity),
        ] {
            let real = try #require(PropertyListReal(text))
            #expect(real.value == value)
            #expect(real.number == nil)
        }
        #expect(try #require(PropertyListReal("nan")).value.isNaN)
    }

    @Test(
        "What is no number is none",
        arguments: ["", "+", "-", "1,5", "1 ", " 1", "1.5x", "++1", "+-1", "[1]", "true", "\"1\"", "e5"])
    func malformed(text: String) {
        #expect(PropertyListReal(text) == nil)
    }
}
