import ErrandRequestSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("The content of a request")
struct RequestBuilderContentTests {
    let configuration: SessionConfiguration

    init() throws {
        var configuration = SessionConfiguration(name: "example", baseURL: try HTTPURL("http://e.com/"))
        configuration.request.serializer = .json
        self.configuration = configuration
    }

    @Test(
        "is the body as given, with the content type of its kind",
        arguments: [
            (.text("é"), "é", "text/plain; charset=utf-8"), (.text(""), "", "text/plain; charset=utf-8"),
            (.bytes(Array("{".utf8)), "{", "application/octet-stream"),
            (
                .json(Array(#"{"b":1.10, "a":12345678901234567890,"b":null}"#.utf8)),
                #"{"b":1.10, "a":12345678901234567890,"b":null}"#, "application/json"
            ),
            (.json(Array("null".utf8)), "null", "application/json"),
        ] as [(TaskBody, String, String)])
    func body(body: TaskBody, expected: String, contentType: String) throws {
        let transfer = try prepare(TaskRequest(body: body), in: configuration).transfer
        #expect(transfer.text == expected)
        #expect(transfer.headers[.contentType] == contentType)
    }

    @Test(
        "is the parameters of other methods as JSON, byte for byte",
        arguments: [#"{"b":1.10, "a":[true,null]}"#, "[1,2]", "{}", " [ ] "])
    func parameters(json: String) throws {
        let request = TaskRequest(method: "POST", parameters: Array(json.utf8))
        let transfer = try prepare(request, in: configuration).transfer
        #expect(transfer.text == json)
        #expect(transfer.headers[.contentType] == "application/json")
    }

    @Test("is absent without body and parameters, as is its type", arguments: ["GET", "POST", "PUT"])
    func none(method: String) throws {
        let transfer = try prepare(TaskRequest(method: method), in: configuration).transfer
        #expect(transfer.text == nil)
        #expect(transfer.headers[.contentType] == nil)
    }

    @Test(
        "is an empty form without body and parameters if the serializer is form, except for methods without content",
        arguments: [("POST", ""), ("PUT", ""), ("PATCH", ""), ("GET", nil), ("DELETE", nil), ("OPTIONS", nil)])
    func emptyForm(method: String, expected: String?) throws {
        var configuration = configuration
        configuration.request.serializer = .form
        let transfer = try prepare(TaskRequest(method: method), in: configuration).transfer
        #expect(transfer.text == expected)
        #expect(transfer.headers[.contentType] == expected.map { _ in "application/x-www-form-urlencoded" })
    }

    @Test("has the content type of the task, else of the session, else its own")
    func contentType() throws {
        var configuration = configuration
        configuration.headers[.contentType] = "application/vnd.api+json"
        let parameters = Array("{}".utf8)
        let own = TaskRequest(method: "POST", parameters: parameters, headers: [TaskHeader("content-type", "a/b")])
        #expect(try prepare(own, in: configuration).transfer.headers[.contentType] == "a/b")
        let session = TaskRequest(method: "POST", parameters: parameters)
        #expect(try prepare(session, in: configuration).transfer.headers[.contentType] == "application/vnd.api+json")
        let removed = TaskRequest(method: "POST", parameters: parameters, headers: [TaskHeader("Content-Type", nil)])
        #expect(try prepare(removed, in: configuration).transfer.headers[.contentType] == nil)
    }

    @Test("is rejected with GET and HEAD", arguments: ["GET", "head"])
    func bodyOfGET(method: String) {
        #expect(problems(TaskRequest(method: method, body: .text("")), in: configuration).map(\.pointer) == [["body"]])
    }

    @Test("is a body or parameters, not both")
    func both() {
        let request = TaskRequest(method: "POST", parameters: Array("{}".utf8), body: .text("x"))
        let found = problems(request, in: configuration)
        #expect(found.map(\.pointer) == [["body"]])
        #expect(found.map(\.code) == [.unserializableParameters])
    }

    @Test(
        "cannot be made of parameters that are neither an object nor an array",
        arguments: [#""a""#, "1", "true", "null", "", "{", "[1,]", "{\"a\":1}x"])
    func unserializable(json: String) {
        let found = problems(TaskRequest(method: "POST", parameters: Array(json.utf8)), in: configuration)
        #expect(found.map(\.pointer) == [["parameters"]])
        #expect(found.map(\.code) == [.unserializableParameters])
    }

    @Test(
        "names the value of the parameters that its serializer rejects",
        arguments: [
            (.plist, #"{"a":[1,{"b":null}]}"#, ["a", "1", "b"]),
            (.form, #"{"x":1,"a":{"b/c":[1,{"d":2}]}}"#, ["a", "b/c", "1"]),
            (.multipart, #"{"a":["x",[1]]}"#, ["a", "1"]),
        ] as [(RequestSerializerKind, String, [String])])
    func rejectedValue(serializer: RequestSerializerKind, json: String, place: [String]) {
        var configuration = configuration
        configuration.request.serializer = serializer
        configuration.request.options.parameters.arrays = .comma
        let found = problems(TaskRequest(method: "POST", parameters: Array(json.utf8)), in: configuration)
        #expect(found.map(\.pointer) == [["parameters"] + place])
        #expect(found.map(\.code) == [.unserializableParameters])
    }

    @Test("is rejected for GET if its parameters are not sent in the URL")
    func parametersOfGET() {
        var configuration = configuration
        configuration.request.methodsWithParametersInURL = []
        let found = problems(TaskRequest(parameters: Array("{}".utf8)), in: configuration)
        #expect(found.map(\.pointer) == [["parameters"]])
    }

    @Test("cannot be made of parameters by the raw serializer, of the task or the session")
    func raw() throws {
        let parameters = Array("{}".utf8)
        let chosen = TaskRequest(method: "POST", parameters: parameters, requestSerializer: .raw)
        #expect(problems(chosen, in: configuration).map(\.pointer) == [["parameters"]])
        var configuration = configuration
        configuration.request.serializer = .raw
        #expect(problems(TaskRequest(method: "POST", parameters: parameters), in: configuration).count == 1)
        let overridden = TaskRequest(method: "POST", parameters: parameters, requestSerializer: .json)
        #expect(try prepare(overridden, in: configuration).transfer.text == "{}")
    }
}

extension TransferRequest {
    /// The content as text; `nil` without content.
    fileprivate var text: String? {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}
