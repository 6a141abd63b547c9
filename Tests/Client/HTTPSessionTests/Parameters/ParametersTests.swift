import HTTPSession
import Testing

@Suite("Parameters")
struct ParametersTests {
    @Test("can be written as nested literals")
    func literals() {
        let name = "Ada"
        let parameters: Parameters = [
            "null": nil, "yes": true, "int": -3, "double": 1.5, "text": "a", "name": "\(name)!",
            "list": [1, "a", nil, [false]], "object": ["b": ["c": 2]], "empty": [],
        ]
        #expect(
            parameters.members == [
                .init("null", .null), .init("yes", .bool(true)), .init("int", .int(-3)), .init("double", .double(1.5)),
                .init("text", .string("a")), .init("name", .string("Ada!")),
                .init("list", .array([.int(1), .string("a"), .null, .array([.bool(false)])])),
                .init("object", .object(Parameters([.init("b", .object(Parameters([.init("c", .int(2))])))]))),
                .init("empty", .array([])),
            ])
    }

    @Test("retain their order and repeated names")
    func order() {
        var parameters: Parameters = ["b": 1, "a": 2, "b": 3]
        parameters.append("a", .int(4))
        #expect(parameters.members.map(\.name) == ["b", "a", "b", "a"])
        #expect(parameters["b"] == .int(1))
        #expect(parameters["c"] == nil)
    }
}
