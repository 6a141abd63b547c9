import ErrandHTTPGrammar
import ErrandResponseSerialization
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandSessionCore

@Suite("A response reader")
struct ResponseReaderTests {
    /// One row of the rules: a response and its expected result.
    struct Row: CustomTestStringConvertible {
        var rule: String
        var status = 200
        var contentType: String? = "application/json"
        var content: String
        var object: String?
        var errors: [SessionErrorCode] = []

        var testDescription: String { rule }
    }

    static let rows = [
        Row(rule: "success", content: " [1]", object: "[1]"),
        Row(rule: "empty content has no object", content: ""),
        Row(rule: "one space has no object", content: " "),
        Row(rule: "two spaces are not parsable", content: "  ", errors: [.unparsableBody]),
        Row(rule: "no JSON is not parsable", content: "nope", errors: [.unparsableBody]),
        Row(
            rule: "a type with parameters", contentType: "application/json; charset=utf-8", content: "{}", object: "{}"),
        Row(rule: "text/json", contentType: "text/json", content: "{}", object: "{}"),
        Row(rule: "text/javascript", contentType: "text/javascript", content: "{}", object: "{}"),
        Row(
            rule: "another type is rejected, without object", contentType: "text/html", content: "{}",
            errors: [.unacceptableContentType]),
        Row(
            rule: "a suffix is another type", contentType: "application/problem+json", content: "{}",
            errors: [.unacceptableContentType]),
        Row(rule: "no type is another type", contentType: nil, content: "{}", errors: [.unacceptableContentType]),
        Row(
            rule: "a malformed type is another type", contentType: "json", content: "{}",
            errors: [.unacceptableContentType]),
        Row(rule: "another type without content is success", contentType: "text/html", content: ""),
        Row(rule: "no type without content is success", contentType: nil, content: ""),
        Row(
            rule: "another type with one space is rejected", contentType: "text/html", content: " ",
            errors: [.unacceptableContentType]),
        Row(rule: "204", status: 204, contentType: nil, content: ""),
        Row(
            rule: "a bad status has an object and an error", status: 404, content: #"{"a":1}"#, object: #"{"a":1}"#,
            errors: [.unacceptableStatus]),
        Row(rule: "a bad status without content", status: 404, content: "", errors: [.unacceptableStatus]),
        Row(
            rule: "a bad status without content, of another type", status: 500, contentType: "text/html", content: "",
            errors: [.unacceptableStatus]),
        Row(
            rule: "a bad status of another type, which is underlying", status: 404, contentType: "text/html",
            content: "{}", errors: [.unacceptableStatus, .unacceptableContentType]),
        Row(
            rule: "a bad status is the underlying error if the content cannot be parsed", status: 500, content: "nope",
            errors: [.unparsableBody, .unacceptableStatus]),
        Row(rule: "a redirect is no success", status: 302, content: "{}", object: "{}", errors: [.unacceptableStatus]),
        Row(rule: "304 is not a success", status: 304, content: "", errors: [.unacceptableStatus]),
        Row(rule: "299 is success", status: 299, content: "{}", object: "{}"),
        Row(rule: "300 is not", status: 300, content: "{}", object: "{}", errors: [.unacceptableStatus]),
    ]

    @Test("follows the rules of validation", arguments: rows)
    func row(row: Row) async throws {
        let reading = try await read(row, ResponseReader(.json, ResponseConfiguration()))
        #expect(reading.object(in: row.content) == row.object)
        #expect(reading.codes == row.errors)
    }

    @Test("names the serializer that read the content: raw if none of the session's did")
    func names() async throws {
        let bytes = Row(rule: "", contentType: "application/octet-stream", content: "x")
        let json = Row(rule: "", contentType: "application/json, application/json", content: "{}")
        for kind in [ResponseSerializerKind.raw, .auto] {
            let reader = ResponseReader(ResponseSerializerChoice(kind), ResponseConfiguration())
            #expect(try await read(bytes, reader).serializer == .raw)
        }
        let reader = ResponseReader(.auto, ResponseConfiguration())
        #expect(try await read(json, reader).serializer == .json)
    }

    @Test("validates raw content by its status alone")
    func raw() async throws {
        let reader = ResponseReader(.raw, ResponseConfiguration())
        let good = Row(rule: "", contentType: "text/html", content: "nope")
        #expect(try await read(good, reader).codes.isEmpty)
        let bad = Row(rule: "", status: 500, contentType: nil, content: "nope")
        #expect(try await read(bad, reader).codes == [.unacceptableStatus])
    }

    @Test("applies the session's own statuses and types, whatever the serializer")
    func configured() async throws {
        var configuration = ResponseConfiguration()
        configuration.acceptableStatuses = StatusSet([404...404])
        configuration.acceptableContentTypes = [try #require(MediaRange("text/*"))]
        for kind in [ResponseSerializerKind.json, .text, .raw, .auto] {
            let reader = ResponseReader(ResponseSerializerChoice(kind), configuration)
            let good = Row(rule: "", status: 404, contentType: "text/html", content: "{}")
            #expect(try await read(good, reader).codes.isEmpty)
            let bad = Row(rule: "", content: "{}")
            #expect(try await read(bad, reader).codes == [.unacceptableStatus, .unacceptableContentType])
        }
    }

    @Test("loads stored content only if needed")
    func stored() async throws {
        let body = ReceivedBody(size: 2, content: .stored(Kept(result: .success(Array("{}".utf8)))))
        let json = ResponseHead(status: 200, headers: [.contentType: "application/json"])
        #expect(try await ResponseReader(.json, .init()).read(json, body).object == .slice(0..<2))

        let gone = ReceivedBody(size: 2, content: .stored(Kept(result: .failure(TransferError(.cannotWrite, "Gone")))))
        #expect(try await ResponseReader(.raw, .init()).read(json, gone).codes.isEmpty)
        let html = ResponseHead(status: 200, headers: [.contentType: "text/html"])
        #expect(try await ResponseReader(.json, .init()).read(html, gone).codes == [.unacceptableContentType])
        await #expect(throws: TransferError(.cannotWrite, "Gone")) {
            try await ResponseReader(.json, .init()).read(json, gone)
        }
    }

    @Test("needs memory for stored content, and for content in memory whose object may be many times as large")
    func memory() {
        let size: Int64 = 100_000
        let enlarged = 17 * size
        for (choice, type, inMemory, stored) in [
            (.json, "application/json", nil, size), (.text, "text/plain", nil, 8 * size),
            (.xml, "text/xml", enlarged, enlarged), (.plist, "application/x-plist", enlarged, enlarged),
            (.auto, "image/svg+xml", enlarged, enlarged), (.auto, "text/plain", nil, 8 * size),
            (.auto, "text/javascript", nil, 8 * size), (.auto, "application/json", nil, size),
            (.image, "image/png", nil, size),
            (.xml, "text/html", nil, nil), (.raw, "text/xml", nil, nil),
        ] as [(ResponseSerializerChoice, String, Int64?, Int64?)] {
            let reader = ResponseReader(choice, ResponseConfiguration())
            let head = ResponseHead(status: 200, headers: [.contentType: type])
            let bytes = ReceivedBody(size: size, content: .bytes([]))
            #expect(reader.memory(toRead: bytes, of: head) == inMemory, "\(choice) \(type)")
            let kept = ReceivedBody(size: size, content: .stored(Kept(result: .success([]))))
            #expect(reader.memory(toRead: kept, of: head) == stored, "\(choice) \(type)")
        }
        let xml = ResponseHead(status: 200, headers: [.contentType: "text/xml"])
        #expect(ResponseReader(.xml, ResponseConfiguration()).memory(toRead: .empty, of: xml) == nil)
    }

    @Test("counts stored JSON twice if its nulls are removed, as the rest is a copy")
    func memoryForNulls() {
        let reader = ResponseReader(.json, Self.removingNulls)
        #expect(reader.memory(toRead: .kept(1_000), of: Self.head("application/json")) == 2_000)
    }

    @Test("reads no stored content that counts more than all sessions may use, except XML and property lists")
    func bounded() throws {
        let jsonOrText = try #require(ResponseSerializerChoice([.json, .text]))
        let rows: [(ResponseSerializerChoice, String)] = [
            (.json, "application/json"), (.text, "text/plain"), (.image, "image/png"), (.auto, "text/plain"),
            (.auto, "text/javascript"), (.auto, "application/json"), (jsonOrText, "text/json"),
        ]
        for configuration in [ResponseConfiguration(), Self.removingNulls] {
            for (choice, type) in rows {
                let reader = ResponseReader(choice, configuration)
                for size: Int64 in [8 << 20, (8 << 20) + 1, 32 << 20, (32 << 20) + 1, 64 << 20] {
                    let memory = reader.memory(toRead: .kept(size), of: Self.head(type)) ?? 0
                    #expect(memory <= ResponseConfiguration.maxReadBytes, "\(choice) \(type) \(size)")
                }
            }
        }
    }

    @Test("does not read a stored text above 8 MiB: its object is omitted, and the response is judged as any other")
    func largeText() async throws {
        let gone = TransferError(.cannotWrite, "Gone")
        let rows: [(ResponseSerializerChoice, String)] = [(.text, "text/plain"), (.auto, "text/html")]
        for (choice, type) in rows {
            let reader = ResponseReader(choice, ResponseConfiguration())
            let large = ReceivedBody.kept((8 << 20) + 1, .failure(gone))
            let success = try await reader.read(Self.head(type), large)
            #expect(success.object == .none)
            #expect(success.omitsObject)
            #expect(success.serializer == .text)
            #expect(success.codes.isEmpty)
            let failure = try await reader.read(Self.head(type, status: 500), large)
            #expect(failure.omitsObject)
            #expect(failure.codes == [.unacceptableStatus])
            #expect(reader.memory(toRead: large, of: Self.head(type)) == nil)
            // The largest text that is read.
            await #expect(throws: gone) {
                try await reader.read(Self.head(type), .kept(8 << 20, .failure(gone)))
            }
        }
        let other = try await ResponseReader(.text, ResponseConfiguration())
            .read(Self.head("image/png"), .kept((8 << 20) + 1, .failure(gone)))
        #expect(!other.omitsObject)
        #expect(other.codes == [.unacceptableContentType])
    }

    @Test("tries the serializers before text on stored content that is too large for a text")
    func largeOthers() async throws {
        let jsonOrText = try #require(ResponseSerializerChoice([.json, .text]))
        let rows: [(ResponseSerializerChoice, String)] = [(.auto, "text/javascript"), (jsonOrText, "text/json")]
        for (choice, type) in rows {
            let reader = ResponseReader(choice, ResponseConfiguration())
            let json = try await reader.read(Self.head(type), .kept(9 << 20, .success(Array("[1]".utf8))))
            #expect(json.object == .slice(0..<3))
            #expect(json.serializer == .json)
            #expect(!json.omitsObject)
            let text = try await reader.read(Self.head(type), .kept(9 << 20, .success(Array("let".utf8))))
            #expect(text.object == .none)
            #expect(text.serializer == .text)
            #expect(text.omitsObject)
            #expect(text.codes.isEmpty)
        }
        let reader = ResponseReader(jsonOrText, ResponseConfiguration())
        let neither = try await reader.read(
            Self.head("application/json"), .kept(9 << 20, .success(Array("let".utf8))))
        #expect(neither.serializer == .raw)
        #expect(!neither.omitsObject)
    }

    @Test("reads text in memory whatever its size")
    func largeTextInMemory() async throws {
        let text = ReceivedBody(size: 9 << 20, content: .bytes(Array("a".utf8)))
        let reading = try await ResponseReader(.text, ResponseConfiguration()).read(Self.head("text/plain"), text)
        #expect(reading.object == .json(Array(#""a""#.utf8)))
    }

    @Test("removes the nulls of stored JSON up to 32 MiB, and validates more")
    func largeNulls() async throws {
        let reader = ResponseReader(.json, Self.removingNulls)
        let nulls = Array("[null]".utf8)
        let small = try await reader.read(Self.head("application/json"), .kept(32 << 20, .success(nulls)))
        #expect(small.object == .json(Array("[]".utf8)))
        let large = try await reader.read(Self.head("application/json"), .kept((32 << 20) + 1, .success(nulls)))
        #expect(large.object == .slice(0..<6))
        let invalid = try await reader.read(
            Self.head("application/json"), .kept((32 << 20) + 1, .success(Array("[nul]".utf8))))
        #expect(invalid.codes == [.unparsableBody])
    }

    /// A configuration that removes the nulls of JSON.
    private static var removingNulls: ResponseConfiguration {
        var configuration = ResponseConfiguration()
        configuration.options.removesNulls = true
        return configuration
    }

    private static func head(_ contentType: String, status: Int = 200) -> ResponseHead {
        ResponseHead(status: status, headers: [.contentType: contentType])
    }

    private func read(_ row: Row, _ reader: ResponseReader) async throws -> ResponseReader.Reading {
        var head = ResponseHead(status: row.status)
        head.headers[.contentType] = row.contentType
        let content = Array(row.content.utf8)
        return try await reader.read(head, ReceivedBody(size: Int64(content.count), content: .bytes(content)))
    }
}

/// Content stored by a test.
private struct Kept: StoredContent {
    var result: Result<[UInt8], TransferError>

    func load() async throws(TransferError) -> [UInt8] { try result.get() }
}

extension ReceivedBody {
    /// Returns content outside of memory that states a size, whatever its bytes.
    fileprivate static func kept(_ size: Int64, _ result: Result<[UInt8], TransferError> = .success([])) -> Self {
        ReceivedBody(size: size, content: .stored(Kept(result: result)))
    }
}

extension ResponseReader.Reading {
    /// The codes of the error and of its underlying errors.
    fileprivate var codes: [SessionErrorCode] {
        Array(sequence(first: error) { $0?.underlying }.prefix { $0 != nil }.compactMap { $0?.code })
    }

    fileprivate func object(in content: String) -> String? {
        guard case .slice(let range) = object else { return nil }
        return String(decoding: Array(content.utf8)[range], as: UTF8.self)
    }
}
