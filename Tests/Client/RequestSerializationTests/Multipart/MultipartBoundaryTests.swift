import ErrandSupport
import Testing

@testable import ErrandRequestSerialization

@Suite("A multipart boundary")
struct MultipartBoundaryTests {
    /// A generator that repeats the same numbers.
    private struct Numbers: RandomNumberGenerator {
        var numbers: [UInt64]

        mutating func next() -> UInt64 {
            numbers.append(numbers.removeFirst())
            return numbers[numbers.count - 1]
        }
    }

    @Test("consists of two random numbers of eight digits each")
    func digits() {
        var generator = Numbers(numbers: [0x0000_002A_0000_002A, 0xDEAD_BEEF_DEAD_BEEF])
        #expect(MultipartBoundary(using: &generator).description == "Boundary+0000002ADEADBEEF")
    }

    @Test("differs each time")
    func random() {
        let boundaries = Set((0..<1000).map { _ in MultipartBoundary() })
        #expect(boundaries.count == 1000)
        #expect(boundaries.allSatisfy { $0.description.utf8.count == 25 })
    }

    @Test(
        "can be chosen, from the characters of RFC 2046",
        arguments: ["a", "'()+_,-./:=?", "a b", String(repeating: "x", count: 70)])
    func chosen(text: String) {
        #expect(MultipartBoundary(text)?.description == text)
    }

    @Test(
        "refuses any other text",
        arguments: ["", " ", "a ", "a\r\nb", "a\"b", "a;b", "é", "a\0", "a\\", String(repeating: "x", count: 71)])
    func refused(text: String) {
        #expect(MultipartBoundary(text) == nil)
    }

    @Test(
        "is quoted in the media type if it is not a token",
        arguments: [("Boundary+0A", "Boundary+0A"), ("a b", "\"a b\""), ("a/b", "\"a/b\""), ("a=b", "\"a=b\"")])
    func contentType(text: String, written: String) {
        #expect(MultipartBoundary(text)?.contentType == "multipart/form-data; boundary=\(written)")
    }
}
