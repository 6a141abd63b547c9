import ErrandHTTPGrammar
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionCore

@Suite("The validation of a response")
struct ResponseValidationTests {
    private func error(
        status: Int, contentType: String? = nil, accepting ranges: [String]? = nil
    ) throws -> SessionError? {
        var head = ResponseHead(status: status, reason: "Odd\u{7}")
        head.headers[.contentType] = contentType
        let validation = ResponseValidation(
            statuses: .success, contentTypes: try ranges.map { try $0.map { try #require(MediaRange($0)) } })
        return validation.error(of: head, hasContent: true)
    }

    @Test(
        "names a bad status with its registered phrase",
        arguments: [
            (404, "Request failed: Not Found (404)"), (415, "Request failed: Unsupported Media Type (415)"),
            (500, "Request failed: Internal Server Error (500)"), (302, "Request failed: Found (302)"),
            (599, "Request failed: (599)"), (999, "Request failed: (999)"),
        ])
    func status(status: Int, message: String) throws {
        #expect(try error(status: status)?.message == message)
    }

    @Test(
        "marks transient statuses as retryable",
        arguments: [
            (408, true), (429, true), (500, true), (502, true), (503, true), (504, true), (400, false), (401, false),
            (404, false), (501, false), (302, false),
        ])
    func retryable(status: Int, isRetryable: Bool) throws {
        #expect(try error(status: status)?.isRetryable == isRetryable)
    }

    @Test(
        "names a bad content type as far as it can be parsed",
        arguments: [
            ("Text/HTML; charset=utf-8", "Request failed: unacceptable content-type: text/html"),
            ("<script>", "Request failed: unacceptable content-type: malformed"),
            (nil, "Request failed: unacceptable content-type: none"),
            (
                "a/" + String(repeating: "b", count: 1000),
                "Request failed: unacceptable content-type: a/" + String(repeating: "b", count: 253)
            ),
        ])
    func contentType(contentType: String?, message: String) throws {
        let error = try error(status: 200, contentType: contentType, accepting: ["application/json"])
        #expect(error == SessionError(.unacceptableContentType, message))
    }

    @Test("accepts a part without a type, whose first response has stated one, but not a part of another type")
    func part() throws {
        #expect(try error(status: 206, accepting: ["application/json"]) == nil)
        #expect(try error(status: 206, contentType: "text/html", accepting: ["application/json"]) != nil)
    }

    @Test("accepts any type, or none, for */*", arguments: ["a/b", "malformed", nil])
    func any(contentType: String?) throws {
        #expect(try error(status: 200, contentType: contentType, accepting: ["*/*"]) == nil)
    }

    @Test("accepts no type if none is acceptable")
    func none() throws {
        #expect(try error(status: 200, contentType: "a/b", accepting: [])?.code == .unacceptableContentType)
    }
}
