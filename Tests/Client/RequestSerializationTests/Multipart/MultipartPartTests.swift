import ErrandTransfer
import Testing

@testable import ErrandRequestSerialization

@Suite("A part of a form")
struct MultipartPartTests {
    private typealias Header = MultipartPart.Header

    private func message(_ body: () throws(RequestSerializationError) -> MultipartPart) -> String? {
        do throws(RequestSerializationError) {
            _ = try body()
            return nil
        } catch {
            return error.message
        }
    }

    @Test("starts with its name, file name, type and other fields, in this order")
    func head() throws {
        let part = try MultipartPart(
            name: "picture", filename: "cat.png", contentType: "image/png; q=\"1\"",
            headers: [Header(name: "X-B", value: "2"), Header(name: "X-A", value: "é\t1")], content: .bytes([1, 2]))
        #expect(
            part.head == "Content-Disposition: form-data; name=\"picture\"; filename=\"cat.png\"\r\n"
                + "Content-Type: image/png; q=\"1\"\r\nX-B: 2\r\nX-A: é\t1\r\n\r\n")
        #expect(part.length == 2)
    }

    @Test("has only its name if it is a plain field")
    func field() throws {
        let part = try MultipartPart(name: "a", content: .bytes([]))
        #expect(part.head == "Content-Disposition: form-data; name=\"a\"\r\n\r\n")
    }

    @Test("has only the fields that it is given if it has no name")
    func nameless() throws {
        let disposition = Header(name: "Content-Disposition", value: "attachment")
        let part = try MultipartPart(
            name: nil, contentType: "text/plain", headers: [disposition, Header(name: "X-A", value: "1")],
            content: .bytes([]))
        #expect(part.head == "Content-Type: text/plain\r\nContent-Disposition: attachment\r\nX-A: 1\r\n\r\n")
        #expect(try MultipartPart(name: nil, content: .bytes([])).head == "\r\n")
        let file = try MultipartPart.file(name: nil, path: "/x/a.png", source: PieceSource([]))
        #expect(file.head == "Content-Type: image/png\r\n\r\n")
    }

    @Test("has no filename if it has no name")
    func namelessFile() {
        let found = message { () throws(RequestSerializationError) in
            try MultipartPart(name: nil, filename: "a", content: .bytes([]))
        }
        #expect(found == "A part without a name has a filename")
    }

    @Test(
        "escapes the characters that would end its names",
        arguments: [
            ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb\rc", "a%0Ab%0Dc"), ("日本.txt", "日本.txt"), ("", ""),
            ("a\\b", "a\\b"), ("100%", "100%"), ("a; filename=\"x\"", "a; filename=%22x%22"),
            ("\"\u{301}", "%22\u{301}"), ("a[b][]", "a[b][]"), ("\u{7F}\t", "\u{7F}\t"),
            ("x\"\r\nContent-Type: text/html\r\n\r\n<script>", "x%22%0D%0AContent-Type: text/html%0D%0A%0D%0A<script>"),
        ])
    func escapes(name: String, written: String) throws {
        let part = try MultipartPart(name: name, filename: name, content: .bytes([]))
        #expect(
            part.head == "Content-Disposition: form-data; name=\"\(written)\"; filename=\"\(written)\"\r\n\r\n")
    }

    @Test("has no NUL in its names")
    func nul() {
        let expected = "The name of a part contains a NUL character"
        #expect(
            message { () throws(RequestSerializationError) in
                try MultipartPart(name: "a\0", content: .bytes([]))
            } == expected)
        #expect(
            message { () throws(RequestSerializationError) in
                try MultipartPart(name: "a", filename: "\0", content: .bytes([]))
            } == expected)
    }

    @Test(
        "requires a media type as its type",
        arguments: [
            "", "text plain", "text/", "text/plain\r\nX: y", "text/plain; a=\"\0\"", "text /plain", "text/plain\u{7F}",
        ])
    func contentType(text: String) {
        #expect(
            message { () throws(RequestSerializationError) in
                try MultipartPart(name: "a", contentType: text, content: .bytes([]))
            } == "The content type of a part is not a media type")
    }

    @Test("may have a single token as its type, and any type and subtype", arguments: ["binary", "x-my/t~y!p.e+z"])
    func tokenAsContentType(text: String) throws {
        let part = try MultipartPart(name: "a", contentType: text, content: .bytes([]))
        #expect(part.head.contains("Content-Type: \(text)\r\n"))
    }

    @Test("reports the position of an error")
    func pointers() {
        func pointer(_ make: () throws -> MultipartPart) -> [String]? {
            let error = #expect(throws: RequestSerializationError.self) { try make() }
            return error?.pointer
        }
        #expect(pointer { try MultipartPart(name: "\0", content: .bytes([])) } == ["name"])
        #expect(pointer { try MultipartPart(name: "a", filename: "\0", content: .bytes([])) } == ["filename"])
        #expect(pointer { try MultipartPart(name: "a", contentType: "a b", content: .bytes([])) } == ["content_type"])
        let header = MultipartPart.Header(name: "X", value: "\n")
        #expect(pointer { try MultipartPart(name: "a", headers: [header], content: .bytes([])) } == ["headers", "X"])
    }

    @Test(
        "has well-formed header fields, each once, and no reserved ones",
        arguments: [
            ([("", "1")], "The name of a header field of a part is not a token"),
            ([("X Y", "1")], "The name of a header field of a part is not a token"),
            ([("X:", "1")], "The name of a header field of a part is not a token"),
            ([("X\r\nY", "1")], "The name of a header field of a part is not a token"),
            ([("Xé", "1")], "The name of a header field of a part is not a token"),
            ([("X-A", "1\r\nX-B: 2")], "The header field X-A of a part contains a control character"),
            ([("X-A", "1\n")], "The header field X-A of a part contains a control character"),
            ([("X-A", "\0")], "The header field X-A of a part contains a control character"),
            ([("X-A", "\u{7F}")], "The header field X-A of a part contains a control character"),
            ([("X-A", "1"), ("x-a", "2")], "A part has the header field x-a twice"),
            (
                [("content-disposition", "inline")],
                "A part must not set content-disposition: it is derived from the name and the filename"
            ),
            ([("Content-Type", "a/b")], "A part must not set Content-Type: it is set by content_type"),
            ([("Content-Length", "1")], "A part must not set Content-Length: the boundary ends the content"),
        ])
    func headers(fields: [(String, String)], expected: String) {
        #expect(
            message { () throws(RequestSerializationError) in
                try MultipartPart(
                    name: "a", headers: fields.map { Header(name: $0.0, value: $0.1) }, content: .bytes([]))
            } == expected)
    }

    @Test("knows the length of its source", arguments: [nil, -1] as [Int64?])
    func length(length: Int64?) throws {
        #expect(
            message { () throws(RequestSerializationError) in
                try MultipartPart(name: "a", content: .source(PieceSource([], length: length)))
            } == "The length of a part is unknown")
        #expect(try MultipartPart(name: "a", content: .source(PieceSource([[1, 2]]))).length == 2)
    }

    @Test(
        "of a file derives name and type from the path",
        arguments: [
            ("/var/uploads/Cat.PNG", "Cat.PNG", "image/png"), ("notes", "notes", "application/octet-stream"),
            ("a.b/c", "c", "application/octet-stream"), ("a/b.json/", "b.json", "application/json"),
            ("/", "", "application/octet-stream"), ("a/\u{301}.txt", "\u{301}.txt", "text/plain"),
        ])
    func file(path: String, filename: String, contentType: String) throws {
        let part = try MultipartPart.file(name: "f", path: path, source: PieceSource([]))
        #expect(part.name == "f")
        #expect(part.filename == filename)
        #expect(part.contentType == contentType)
    }

    @Test("of a file can have another name, which determines the type, or another type")
    func fileWithNames() throws {
        let named = try MultipartPart.file(name: "f", path: "a.png", filename: "b.pdf", source: PieceSource([]))
        #expect(named.filename == "b.pdf")
        #expect(named.contentType == "application/pdf")
        let typed = try MultipartPart.file(
            name: "f", path: "a.png", contentType: "x/y", headers: [Header(name: "X", value: "1")],
            source: PieceSource([]))
        #expect(typed.filename == "a.png")
        #expect(typed.contentType == "x/y")
        #expect(typed.headers == [Header(name: "X", value: "1")])
    }

    @Test("is created for each pair of parameters; null and an empty list become empty fields")
    func parameters() throws {
        let json = #"{"b":[1.10,true],"a":{"c":null,"d":"x\"é\n"},"e":"","f":[]}"#
        let parts = try MultipartPart.parts(of: ParameterPairs(Array(json.utf8), ParameterEncoding()))
        #expect(parts.map(\.name) == ["a[c]", "a[d]", "b[]", "b[]", "e"])
        #expect(parts.map(\.text) == ["", "x\"é\n", "1.10", "1", ""])
        #expect(parts.allSatisfy { $0.filename == nil && $0.contentType == nil && $0.headers.isEmpty })
        let list = try ParameterPairs(Array(#"{"a":["x","y,z"]}"#.utf8), ParameterEncoding(arrays: .comma))
        #expect(try MultipartPart.parts(of: list).map(\.text) == ["x,y,z"])
        let hostile = try ParameterPairs(Array(#"{"a\u0000":1}"#.utf8), ParameterEncoding())
        #expect(throws: RequestSerializationError(message: "The name of a part contains a NUL character")) {
            try MultipartPart.parts(of: hostile)
        }
    }
}

extension MultipartPart {
    /// The content as text, if it is bytes in memory.
    fileprivate var text: String? {
        guard case .bytes(let bytes) = content else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
