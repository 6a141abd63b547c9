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
            (404, "404 (Not Found)"), (415, "415 (Unsupported Media Type)"), (500, "500 (Internal Server Error)"),
            (302, "302 (Found)"), (599, "599"), (999, "999"),
        ])
    func status(status: Int, shown: String) throws {
        #expect(try error(status: status)?.message == "The status is \(shown); expected 200-299")
    }

    @Test(
        "names the acceptable statuses, of many the first ones",
        arguments: [
            ([], "none is acceptable"), ([304...304], "expected 304"),
            ([200...299, 304...304], "expected 200-299 or 304"),
            ([1...1, 2...2, 3...3, 4...4, 5...5], "expected 1, 2, 3, 4 or 5"),
            ([1...1, 2...2, 3...3, 4...4, 5...5, 6...6], "expected 1, 2, 3, 4 or 2 others"),
        ] as [([ClosedRange<Int>], String)])
    func acceptableStatuses(ranges: [ClosedRange<Int>], expected: String) {
        let validation = ResponseValidation(statuses: StatusSet(ranges), contentTypes: nil)
        let error = validation.error(of: ResponseHead(status: 404), hasContent: false)
        #expect(error?.message == "The status is 404 (Not Found); \(expected)")
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
            ("Text/HTML; charset=utf-8", "The content type is text/html"),
            ("<script>", "The content type is malformed"),
            (nil, "The response has no content type"),
            (
                "a/" + String(repeating: "b", count: 1000),
                "The content type is a/" + String(repeating: "b", count: 253)
            ),
        ] as [(String?, String)])
    func contentType(contentType: String?, found: String) throws {
        let error = try error(status: 200, contentType: contentType, accepting: ["application/json"])
        #expect(error == SessionError(.unacceptableContentType, "\(found); expected application/json"))
    }

    @Test(
        "names the acceptable content types, of many the first ones, each at a limited length",
        arguments: [
            ([], "none is acceptable"), (["text/*"], "expected text/*"), (["a/b", "c/d"], "expected a/b or c/d"),
            (["a/1", "a/2", "a/3", "a/4", "a/5", "a/6", "a/7"], "expected a/1, a/2, a/3, a/4 or 3 others"),
            (["a/" + String(repeating: "b", count: 1000)], "expected a/" + String(repeating: "b", count: 253)),
        ] as [([String], String)])
    func acceptableTypes(ranges: [String], expected: String) throws {
        let error = try error(status: 200, contentType: "x/y", accepting: ranges)
        #expect(error?.message == "The content type is x/y; \(expected)")
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
