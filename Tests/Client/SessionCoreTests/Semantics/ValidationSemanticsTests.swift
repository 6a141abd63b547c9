import ErrandHTTPGrammar
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// The rules of success, and the content that can be read after an error.
@Suite("Rules of response validation", .timeLimit(.hang))
struct ValidationSemanticsTests {
    /// One response to a session with the JSON serializer, and its expected result.
    struct Row: Sendable, CustomTestStringConvertible {
        var rule: String
        var status = 200
        var type: String? = "application/json"
        var content = "{}"
        /// The object of the response.
        var object: String?
        /// The error's number, and those of its underlying errors.
        var numbers: [Int] = []

        var testDescription: String { rule }
    }

    @Test(
        "AFNetworking: first the content type, then the status, then the content",
        arguments: [
            Row(rule: "all is well", object: "{}"),
            Row(rule: "the first status of success", status: 200, object: "{}"),
            Row(rule: "the last status of success", status: 299, object: "{}"),
            Row(rule: "300 is not a success", status: 300, object: "{}", numbers: [-1011]),
            Row(rule: "a bad status is -1011, with the object", status: 404, object: "{}", numbers: [-1011]),
            Row(rule: "a bad type is -1016, and there is no object", type: "text/html", numbers: [-1016]),
            Row(
                rule: "both: -1011 with underlying -1016, and no object", status: 500, type: "text/html",
                numbers: [-1011, -1016]),
            Row(rule: "content that cannot be parsed is 3840", content: "{invalid}", numbers: [3840]),
            Row(
                rule: "a bad status whose content cannot be parsed: 3840 with underlying -1011", status: 500,
                content: "{invalid}", numbers: [3840, -1011]),
            Row(
                rule: "content of a bad type is not parsed, so it has no errors", type: "text/html",
                content: "{invalid}", numbers: [-1016]),
            Row(rule: "no type with content is a bad one", type: nil, numbers: [-1016]),
            Row(rule: "text/json", type: "text/json", object: "{}"),
            Row(rule: "text/javascript", type: "text/javascript", object: "{}"),
            Row(rule: "parameters of the type do not count", type: "application/json; charset=utf-8", object: "{}"),
            Row(rule: "nor does its case", type: "Application/JSON", object: "{}"),
            Row(rule: "types are whole: +json is another", type: "application/hal+json", numbers: [-1016]),
        ])
    func order(row: Row) async throws {
        try await check(row)
    }

    @Test(
        "AFNetworking: content of nothing",
        arguments: [
            Row(rule: "empty content has no object and no error", content: ""),
            Row(rule: "one space has no object and no error (Rails' head :ok)", content: " "),
            Row(rule: "two spaces are content", content: "  ", numbers: [3840]),
            Row(rule: "a line end is content", content: "\n", numbers: [3840]),
            Row(rule: "no bytes of a bad type are success", type: "text/html", content: ""),
            Row(rule: "no bytes without a type are success", type: nil, content: ""),
            Row(rule: "204", status: 204, type: nil, content: ""),
            Row(rule: "205", status: 205, type: nil, content: ""),
            Row(rule: "one space of a bad type is content", type: "text/html", content: " ", numbers: [-1016]),
            Row(rule: "a bad status without bytes", status: 503, type: "text/html", content: "", numbers: [-1011]),
        ])
    func empty(row: Row) async throws {
        try await check(row)
    }

    private func check(_ row: Row) async throws {
        var fields = HTTPFields()
        fields[.contentType] = row.type
        let outcome = try await Example().outcome([.head(row.status, fields), .text(row.content)])
        #expect(outcome.object == row.object)
        #expect(outcome.numbers == row.numbers)
        // AFNetworking drops the content if there is an error; Errand always returns it.
        #expect(outcome.response?.body?.size == Int64(row.content.utf8.count))
    }

    @Test(
        "AFNetworking: the error names the unacceptable value",
        arguments: [
            (404, "application/json", "The status is 404 (Not Found); expected 200-299"),
            (415, "application/json", "The status is 415 (Unsupported Media Type); expected 200-299"),
            (500, "application/json", "The status is 500 (Internal Server Error); expected 200-299"),
            (
                200, "text/html; charset=utf-8",
                "The content type is text/html; expected application/json, text/json or text/javascript"
            ),
        ])
    func messages(status: Int, type: String, message: String) async throws {
        let outcome = try await Example().outcome([.head(status, [.contentType: type]), .text("{}")])
        #expect(outcome.error?.message == message)
        #expect(outcome.error?.domain == .response)
    }

    @Test(
        "Alamofire: acceptable types may have wildcards",
        arguments: [
            ("*/*", "text/html", true), ("*/*", nil, true), ("text/*", "text/html", true),
            ("text/*", "image/png", false),
            ("*/json", "text/json", true), ("*/json", "text/html", false), ("text/html", "text/html; a=b", true),
        ] as [(String, String?, Bool)])
    func wildcards(range: String, type: String?, isAcceptable: Bool) async throws {
        let example = try Example { $0.response.acceptableContentTypes = MediaRange(range).map { [$0] } }
        var fields = HTTPFields()
        fields[.contentType] = type
        let outcome = try await example.outcome([.head(200, fields), .text("{}")])
        #expect(outcome.numbers == (isAcceptable ? [] : [-1016]))
    }

    @Test(
        "AFNetworking: the statuses of success are configurable",
        arguments: [(200, [-1011]), (304, []), (404, []), (410, []), (411, [-1011])] as [(Int, [Int])])
    func statuses(status: Int, numbers: [Int]) async throws {
        let example = try Example { $0.response.acceptableStatuses = StatusSet([304...304, 404...410]) }
        let outcome = try await example.outcome([.head(status, [.contentType: "application/json"]), .text("{}")])
        #expect(outcome.numbers == numbers)
    }

    @Test(
        "AFNetworking: each serializer has its own content types",
        arguments: [
            (.json, ["application/json", "text/json", "text/javascript"], ["application/xml", "text/plain"]),
            (.xml, ["application/xml", "text/xml"], ["application/json", "text/html"]),
            (.plist, ["application/x-plist"], ["application/xml"]),
            (
                .image,
                [
                    "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
                    "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap",
                ], ["image/svg+xml", "text/plain"]
            ),
            (.text, ["text/plain", "text/csv"], ["application/json"]),
            (.raw, ["application/json", "x/y"], []), (.auto, ["application/json", "x/y"], []),
        ] as [(ResponseSerializerKind, [String], [String])])
    func types(kind: ResponseSerializerKind, acceptable: [String], others: [String]) async throws {
        let example = try Example { $0.response.serializer = ResponseSerializerChoice(kind) }
        for type in acceptable + others {
            let outcome = try await example.outcome([.head(200, [.contentType: type]), .text("?")])
            let isOfBadType = outcome.error?.message.hasPrefix("The content type is") ?? false
            #expect(isOfBadType == others.contains(type), "\(type)")
        }
    }

    @Test(
        "Alamofire: a HEAD response has no content, and only its status is validated",
        arguments: [(200, []), (404, [-1011])])
    func head(status: Int, numbers: [Int]) async throws {
        let fields: HTTPFields = [.contentType: "text/html", .contentLength: "100"]
        let outcome = try await Example().outcome(of: TaskRequest(method: "HEAD"), [.head(status, fields)])
        #expect(outcome.numbers == numbers && outcome.object == nil)
    }
}
