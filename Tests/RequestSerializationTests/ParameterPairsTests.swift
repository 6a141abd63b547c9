import Testing

@testable import RequestSerialization

@Suite("The pairs of parameters")
struct ParameterPairsTests {
    @Test("are not escaped, and tell no value from an empty one")
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

    @Test("have the elements of a list apart")
    func lists() throws {
        let pairs = try ParameterPairs(Array(#"{"a":["b,c","d"]}"#.utf8), ParameterEncoding(arrays: .comma)).pairs
        #expect(pairs == [ParameterPair(name: "a", value: .list(["b,c", "d"]))])
    }

    @Test(
        "are refused when names that are repeated would make them grow without end",
        arguments: RequestSerializerKind.allCases.filter { $0 == .form || $0 == .multipart })
    func amplification(kind: RequestSerializerKind) {
        // 60 kB would become 600 MB.
        let name = String(repeating: "n", count: 40_000)
        let parameters = #"{"\#(name)":[0"# + String(repeating: ",0", count: 10_000) + "]}"
        let error = #expect(throws: RequestSerializationError.self) {
            try kind.serializer().serialize(parameters)
        }
        #expect(error?.message == "The parameters would become more than 16777216 bytes")
    }

    @Test("nest as deep as JSON may, without a name for each level")
    func depth() throws {
        let parameters = String(repeating: #"{"a":"#, count: 512) + "1" + String(repeating: "}", count: 512)
        let pairs = try ParameterPairs(Array(parameters.utf8), ParameterEncoding(nested: .dots)).pairs
        #expect(pairs.map(\.name) == [repeatElement("a", count: 512).joined(separator: ".")])
    }

    @Test("may become 16 MiB, or four times the parameters where that is more")
    func limit() throws {
        #expect(OutputLimit(inputBytes: 0).maxBytes == 16 << 20)
        #expect(OutputLimit(inputBytes: 4 << 20).maxBytes == 16 << 20)
        #expect(OutputLimit(inputBytes: 5 << 20).maxBytes == 20 << 20)
        try OutputLimit(inputBytes: 1).check(16 << 20)
        #expect(throws: RequestSerializationError.self) { try OutputLimit(inputBytes: 1).check(16 << 20 | 1) }
    }
}
