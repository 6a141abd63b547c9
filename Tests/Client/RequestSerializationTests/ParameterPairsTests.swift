import Testing

@testable import ErrandRequestSerialization

@Suite("The pairs of parameters")
struct ParameterPairsTests {
    @Test("are not escaped, and distinguish no value from an empty one")
    func unescaped() throws {
        let parameters = #"{"a b":{"é&":[null,"","x, y\r\n"]}}"#
        let pairs = try ParameterPairs(Array(parameters.utf8), ParameterEncoding()).pairs
        #expect(
            pairs == [
                ParameterPair(name: "a b[é&][]", value: .nothing),
                ParameterPair(name: "a b[é&][]", value: .text("")),
                ParameterPair(name: "a b[é&][]", value: .text("x, y\r\n")),
            ])
    }

    @Test("keep the elements of a list separate")
    func lists() throws {
        let pairs = try ParameterPairs(Array(#"{"a":["b,c","d"]}"#.utf8), ParameterEncoding(arrays: .comma)).pairs
        #expect(pairs == [ParameterPair(name: "a", value: .list(["b,c", "d"]))])
    }

    @Test("report the position of an unsupported value")
    func pointers() {
        let error = #expect(throws: RequestSerializationError.self) {
            try ParameterPairs(Array(#"{"x":1,"a":{"b":[1,[2]]}}"#.utf8), ParameterEncoding(arrays: .comma))
        }
        #expect(error?.pointer == ["a", "b", "1"])
    }

    @Test(
        "are refused if repeated names would make them too large",
        arguments: RequestSerializerKind.allCases.filter { $0 == .form || $0 == .multipart })
    func amplification(kind: RequestSerializerKind) {
        // 60 kB would become 400 MB.
        let name = String(repeating: "n", count: 40_000)
        let parameters = #"{"\#(name)":[0"# + String(repeating: ",0", count: 10_000) + "]}"
        let error = #expect(throws: RequestSerializationError.self) {
            try kind.serializer().serialize(parameters)
        }
        let message =
            "The encoded parameters may have at most 1048576 bytes: 1 MiB, or four times the "
            + "\(parameters.utf8.count) bytes of their JSON; found at least "
        #expect(error?.message.hasPrefix(message) == true)
        #expect(error?.pointer == [name, "26"])
    }

    /// Returns the error of parameters with an array of zeros; `nil` without one.
    private func refusal(
        _ name: String, zeros: Int, _ encoding: ParameterEncoding = ParameterEncoding(),
        for notation: ParameterPairs.Notation = .query
    ) -> RequestSerializationError? {
        let parameters = #"{"\#(name)":[0"# + String(repeating: ",0", count: zeros - 1) + "]}"
        do throws(RequestSerializationError) {
            _ = try ParameterPairs(Array(parameters.utf8), encoding, for: notation)
            return nil
        } catch {
            return error
        }
    }

    @Test("are measured with their escapes, where they have some")
    func escapes() {
        // Each name has 1 kB, and with escapes 3 kB.
        let spaces = String(repeating: " ", count: 1000)
        #expect(refusal(spaces, zeros: 400)?.pointer == [spaces, "348"])
        #expect(refusal(spaces, zeros: 400, ParameterEncoding(spaces: .plus)) == nil)
        #expect(refusal(spaces, zeros: 400, for: .parts) == nil)
    }

    @Test("are measured with the head of each part, where they have some")
    func heads() {
        // Each pair has 10 bytes in a form, and 78 as a part.
        #expect(refusal("a", zeros: 15_000) == nil)
        #expect(refusal("a", zeros: 15_000, for: .parts)?.pointer == ["a", "\((1 << 20) / 78)"])
    }

    @Test("have the size for which they were measured")
    func measure() throws {
        let text = String(decoding: UInt8(0)..<128, as: UTF8.self) + "é😀"
        for spaces in ParameterEncoding.SpaceStyle.allCases {
            var escaped: [UInt8] = []
            ParameterEscaping.append(text, to: &escaped, spaces: spaces)
            #expect(ParameterEscaping.byteCount(of: text.utf8, spaces: spaces) == escaped.count)
        }
        let name = "a\"\r\n é"
        let form = try MultipartForm(parts: [MultipartPart(name: name, content: .bytes([1, 2, 3]))])
        // No line break precedes the first delimiter.
        let rest = "\r\n--\(form.boundary)--\r\n".utf8.count - 2
        #expect(form.length == Int64(MultipartForm.byteCount(ofFieldNamed: name.utf8) + 3 + rest))
    }

    @Test("may be a long text with an escape for each character")
    func longText() throws {
        let text = String(repeating: "é", count: 200_000)
        let pairs = try ParameterPairs(Array(#"{"a":"\#(text)"}"#.utf8), ParameterEncoding()).pairs
        #expect(pairs == [ParameterPair(name: "a", value: .text(text))])
    }

    @Test("nest as deep as JSON may, without copying the name at each level")
    func depth() throws {
        let parameters = String(repeating: #"{"a":"#, count: 512) + "1" + String(repeating: "}", count: 512)
        let pairs = try ParameterPairs(Array(parameters.utf8), ParameterEncoding(nested: .dots)).pairs
        #expect(pairs.map(\.name) == [repeatElement("a", count: 512).joined(separator: ".")])
    }

    @Test("may have a size of 1 MiB, or four times the parameters if that is more")
    func limit() throws {
        #expect(OutputLimit(inputBytes: 0).maxBytes == 1 << 20)
        #expect(OutputLimit(inputBytes: 256 << 10).maxBytes == 1 << 20)
        #expect(OutputLimit(inputBytes: 5 << 20).maxBytes == 20 << 20)
        try OutputLimit(inputBytes: 7).check(1 << 20)
        let error = #expect(throws: RequestSerializationError.self) {
            try OutputLimit(inputBytes: 7).check(1 << 20 | 1)
        }
        let message =
            "The encoded parameters may have at most 1048576 bytes: 1 MiB, or four times the 7 bytes of their JSON; "
            + "found at least 1048577"
        #expect(error?.message == message)
    }
}
