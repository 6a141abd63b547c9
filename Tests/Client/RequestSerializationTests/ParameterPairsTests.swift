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
        // 60 kB would become 600 MB.
        let name = String(repeating: "n", count: 40_000)
        let parameters = #"{"\#(name)":[0"# + String(repeating: ",0", count: 10_000) + "]}"
        let error = #expect(throws: RequestSerializationError.self) {
            try kind.serializer().serialize(parameters)
        }
        #expect(error?.message == "The encoded parameters would exceed 16777216 bytes")
    }

    @Test("nest as deep as JSON may, without copying the name at each level")
    func depth() throws {
        let parameters = String(repeating: #"{"a":"#, count: 512) + "1" + String(repeating: "}", count: 512)
        let pairs = try ParameterPairs(Array(parameters.utf8), ParameterEncoding(nested: .dots)).pairs
        #expect(pairs.map(\.name) == [repeatElement("a", count: 512).joined(separator: ".")])
    }

    @Test("may have a size of 16 MiB, or four times the parameters if that is more")
    func limit() throws {
        #expect(OutputLimit(inputBytes: 0).maxBytes == 16 << 20)
        #expect(OutputLimit(inputBytes: 4 << 20).maxBytes == 16 << 20)
        #expect(OutputLimit(inputBytes: 5 << 20).maxBytes == 20 << 20)
        try OutputLimit(inputBytes: 1).check(16 << 20)
        #expect(throws: RequestSerializationError.self) { try OutputLimit(inputBytes: 1).check(16 << 20 | 1) }
    }
}
