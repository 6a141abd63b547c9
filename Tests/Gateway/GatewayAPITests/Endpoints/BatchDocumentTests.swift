import ErrandJSON
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandTaskEngine

@Suite("BatchDocument")
struct BatchDocumentTests {
    private func items(_ text: String) throws -> [String] {
        let bytes = Array(text.utf8)
        return try BatchDocument.items(of: bytes, maxItems: 3, maxDepth: 2).map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    @Test("The tasks are found byte for byte, in order, whatever their content")
    func order() throws {
        #expect(try items(#"{ "tasks" : [ {"a": 1} , 2,"x" ] }"#) == [#"{"a": 1}"#, "2", #""x""#])
        #expect(try items(#"{"\u0074asks":[{}]}"#) == ["{}"])
    }

    @Test(
        "An invalid batch is refused with the location",
        arguments: [
            ("[]", ""), ("1", ""), ("{}", "/tasks"), (#"{"tasks":{}}"#, "/tasks"), (#"{"tasks":null}"#, "/tasks"),
            (#"{"tasks":[]}"#, "/tasks"), (#"{"tasks":[1,2,3,4]}"#, "/tasks"), (#"{"tasks":[1],"x":1}"#, "/x"),
            (#"{"tasks":[1],"tasks":[1]}"#, "/tasks"), (#"{"task":[1]}"#, "/task"),
        ])
    func faults(text: String, pointer: String) {
        #expect {
            try items(text)
        } throws: { error in
            guard case TaskRejection.invalid(let problems) = error else { return false }
            return problems.first?.pointer.description == pointer
        }
    }

    @Test("Invalid JSON is malformed", arguments: ["", #"{"tasks":[1,]}"#])
    func malformed(text: String) {
        #expect {
            try items(text)
        } throws: { error in
            if case TaskRejection.malformed = error { true } else { false }
        }
    }

    @Test("JSON nested too deep for a task is refused with the limit of tasks")
    func tooDeep() {
        #expect {
            try items(#"{"tasks":[[[[1]]]]}"#)
        } throws: { error in
            if case TaskRejection.tooDeep(_, limit: 2) = error { true } else { false }
        }
    }
}
