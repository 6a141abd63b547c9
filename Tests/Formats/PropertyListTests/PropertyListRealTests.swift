import ErrandJSON
import ErrandPropertyList
import Testing

@Suite("Reals of property lists")
struct PropertyListRealTests {
    @Test(
        "A number that is also JSON keeps its form",
        arguments: ["1.10", "1e400", "-0.0", "1E5", "0", "12345678901234567890.5"])
    func lexemes(text: String) throws {
        #expect(try #require(PropertyListReal(text)).number?.lexeme == text)
        #expect(
            try #require(PropertyListReal("+" + (text.hasPrefix("-") ? "1" : text))).number?.lexeme.contains("+")
                == false)
    }

    @Test("Other numbers of C have a value, but no text")
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
        "An invalid number is rejected",
        arguments: ["", "+", "-", "1,5", "1 ", " 1", "1.5x", "++1", "+-1", "[1]", "true", "\"1\"", "e5"])
    func malformed(text: String) {
        #expect(PropertyListReal(text) == nil)
    }
}
