import ErrandText
import Testing

@Suite("PercentCoding")
struct PercentCodingTests {
    @Test("All characters except the unreserved ones of RFC 3986 §2.3 are escaped")
    func encoded() {
        #expect(PercentCoding.encode("azAZ09-._~".utf8) == "azAZ09-._~")
        #expect(
            PercentCoding.encode("!$&'()*+,;=:@/?%[]\" é".utf8)
                == "%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%25%5B%5D%22%20%C3%A9")
        #expect(PercentCoding.encode("a/b:c".utf8, keeping: .unreserved.union("/")) == "a/b%3Ac")
    }

    @Test("In a form a space becomes a plus (RFC 6749 appendix B)")
    func form() {
        // The example of the appendix.
        #expect(PercentCoding.encode(" %&+£€".utf8, spaceIsPlus: true) == "+%25%26%2B%C2%A3%E2%82%AC")
        #expect(PercentCoding.encode("".utf8, spaceIsPlus: true) == "")
        #expect(PercentCoding.encode(" a  b ".utf8, spaceIsPlus: true) == "+a++b+")
    }

    @Test("Escapes are decoded, and malformed ones stay unchanged")
    func decoded() {
        let pairs: [(String, String)] = [
            ("", ""), ("a%2Fb", "a/b"), ("%c3%A9", "é"), ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%+1", "%+1"),
            ("%-1", "%-1"), ("%%41", "%A"), ("a+b", "a+b"),
        ]
        for (text, meant) in pairs {
            #expect(PercentCoding.decode(text.utf8) == Array(meant.utf8))
        }
        #expect(PercentCoding.decode("a+b%2B".utf8, plusIsSpace: true) == Array("a b+".utf8))
    }
}
