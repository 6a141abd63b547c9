import ErrandRequestSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

/// Multipart forms, byte for byte; the random boundary is replaced by `B`.
@Suite("Rules of multipart content", .timeLimit(.hang))
struct MultipartSemanticsTests {
    /// A request with a form: its content with `B` for the boundary, the boundary, and the request.
    private func form(
        _ task: TaskRequest, _ configure: (inout SessionConfiguration) -> Void = { _ in }
    ) async throws -> (content: String, boundary: String, request: TransferRequest) {
        var example = try Example(nil, configure)
        example.configuration.baseURL = try HTTPURL("http://e.com/")
        example.configuration.request.serializer = .multipart
        example.uploads = SampleFiles()
        let request = try example.request(task)
        let type = try #require(request.headers[.contentType])
        let boundary = try #require(type.split(separator: "boundary=").last.map { String($0) })
        #expect(type == "multipart/form-data; boundary=\(boundary)")
        let bytes: [UInt8]
        switch request.body {
        case .none: bytes = []
        case .bytes(let content): bytes = content
        case .source(let source):
            bytes = try await SourceReader.content(of: source)
            #expect(source.length == Int64(bytes.count), "the length that is announced is exact")
        }
        return (String(decoding: bytes, as: UTF8.self).replacing(boundary, with: "B"), boundary, request)
    }

    @Test(
        "AFNetworking: parameters become a part for each pair",
        arguments: [
            (
                "a text, as it is", #"{"a":"x & é"}"#,
                #"--B\#nContent-Disposition: form-data; name="a"\#n\#nx & é\#n--B--\#n"#
            ),
            (
                "null is an empty part", #"{"a":null}"#,
                #"--B\#nContent-Disposition: form-data; name="a"\#n\#n\#n--B--\#n"#
            ),
            (
                "names are those of pairs, members ascend, other values are as in a query",
                #"{"b":[true,1.0],"a":""}"#,
                #"--B\#nContent-Disposition: form-data; name="a"\#n\#n\#n"#
                    + #"--B\#nContent-Disposition: form-data; name="b[]"\#n\#n1\#n"#
                    + #"--B\#nContent-Disposition: form-data; name="b[]"\#n\#n1.0\#n--B--\#n"#
            ),
        ])
    func parameters(rule: String, parameters: String, expected: String) async throws {
        let content = try await form(TaskRequest("POST", json: parameters)).content
        #expect(content == expected.replacing("\n", with: "\r\n"), "\(rule)")
    }

    @Test(
        "AFNetworking: parts can be texts, bytes, streams and files",
        arguments: [
            ("a text", TaskPart("a", .text("é")), #"name="a"\#n\#né"#),
            ("bytes", TaskPart("a", .bytes([0x62])), #"name="a"\#n\#nb"#),
            (
                "bytes as a file", TaskPart("a", .bytes([0x62]), filename: "b.bin", contentType: "x/y"),
                #"name="a"; filename="b.bin"\#nContent-Type: x/y\#n\#nb"#
            ),
            ("a stream of known length", TaskPart("a", .source(ReplayedSource([0x62, 0x63]))), #"name="a"\#n\#nbc"#),
            (
                "a file: its last component and the type of its extension", TaskPart("a", .file("folder/photo.png")),
                #"name="a"; filename="photo.png"\#nContent-Type: image/png\#n\#npixels"#
            ),
            (
                "a file of an unknown extension", TaskPart("a", .file("data.zzz")),
                #"name="a"; filename="data.zzz"\#nContent-Type: application/octet-stream\#n\#npixels"#
            ),
            (
                "a file with name and type of its own",
                TaskPart("a", .file("photo.png"), filename: "me.jpg", contentType: "image/jpeg"),
                #"name="a"; filename="me.jpg"\#nContent-Type: image/jpeg\#n\#npixels"#
            ),
            (
                "further header fields", TaskPart("a", .text("b"), headers: [TaskHeader("X-Part", "1")]),
                #"name="a"\#nX-Part: 1\#n\#nb"#
            ),
        ] as [(String, TaskPart, String)])
    func parts(rule: String, part: TaskPart, expected: String) async throws {
        let content = try await form(TaskRequest(body: .parts([part]))).content
        let whole = "--B\nContent-Disposition: form-data; \(expected)\n--B--\n"
        #expect(content == whole.replacing("\n", with: "\r\n"), "\(rule)")
    }

    @Test("AFNetworking: parts retain their order, separated by lines with the boundary")
    func order() async throws {
        let parts = [TaskPart("b", .text("1")), TaskPart("a", .text("2")), TaskPart("b", .text("3"))]
        let (content, _, request) = try await form(TaskRequest(body: .parts(parts)))
        #expect(
            content == """
                --B\r
                Content-Disposition: form-data; name="b"\r
                \r
                1\r
                --B\r
                Content-Disposition: form-data; name="a"\r
                \r
                2\r
                --B\r
                Content-Disposition: form-data; name="b"\r
                \r
                3\r
                --B--\r\n
                """)
        #expect(request.method == .post)
    }

    @Test("AFNetworking: the boundary is Boundary+ and 16 random digits")
    func boundary() async throws {
        let task = TaskRequest("POST", json: #"{"a":1}"#)
        let boundaries = [try await form(task).boundary, try await form(task).boundary]
        #expect(boundaries.allSatisfy { $0.wholeMatch(of: #/Boundary\+[0-9A-F]{16}/#) != nil }, "\(boundaries)")
        #expect(boundaries[0] != boundaries[1])
    }

    @Test(
        "names are escaped, whereas AFNetworking lets them break out of their header",
        arguments: [
            (#"a"b"#, #"a%22b"#), ("a\r\nX: y", "a%0D%0AX: y"), ("a;b", "a;b"), (#"a\b"#, #"a\b"#), ("é%", "é%"),
        ])
    func escaping(name: String, escaped: String) async throws {
        let content = try await form(TaskRequest(body: .parts([TaskPart(name, .text("x"), filename: name)]))).content
        let head = "--B\r\nContent-Disposition: form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n\r\n"
        #expect(content == "\(head)x\r\n--B--\r\n")
    }

    @Test("AFNetworking: parameters without parts become a plain form", arguments: [nil, "{}", #"{"a":[]}"#])
    func plainForm(parameters: String?) throws {
        let example = try Example { $0.request.serializer = .multipart }
        let request = try example.request(TaskRequest("POST", json: parameters))
        #expect(request.content == "")
        #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test("AFNetworking: a throttle slows the content down without changing it")
    func throttle() async throws {
        let task = TaskRequest("POST", json: #"{"a":"text"}"#)
        let (content, _, request) = try await form(task) {
            $0.request.options.throttle = BandwidthThrottle(packetBytes: 16, delay: .zero)
        }
        #expect(content == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ntext\r\n--B--\r\n")
        guard case .source(let source) = request.body else {
            Issue.record("content in memory is not throttled")
            return
        }
        #expect(source is ThrottledSource)
        #expect(source.rewind(), "content resent after a redirect is throttled too")
    }

    @Test(
        "invalid parts are rejected, with their place",
        arguments: [
            ("no part", [], ["body", "parts"], .unserializableParameters),
            (
                "a name with NUL", [TaskPart("a\0", .text(""))], ["body", "parts", "0", "name"],
                .unserializableParameters
            ),
            (
                "a header field that breaks its line",
                [TaskPart("a", .text("")), TaskPart("b", .text(""), headers: [TaskHeader("X", "1\r\nY: 2")])],
                ["body", "parts", "1", "headers", "X"], .unserializableParameters
            ),
            (
                "an invalid type", [TaskPart("a", .text("")), TaskPart("b", .text(""), contentType: "a b")],
                ["body", "parts", "1", "content_type"], .unserializableParameters
            ),
            (
                "a missing file, in AFNetworking -1000", [TaskPart("a", .file("missing"))],
                ["body", "parts", "0", "file"], .fileNotFound
            ),
            (
                "AFNetworking: no file, -1000", [TaskPart("a", .file("folder"))], ["body", "parts", "0", "file"],
                .badFile
            ),
        ] as [(String, [TaskPart], [String], SessionErrorCode)])
    func refused(rule: String, parts: [TaskPart], pointer: [String], code: SessionErrorCode) throws {
        var example = try Example()
        example.uploads = SampleFiles()
        let problems = example.problems(TaskRequest(body: .parts(parts)))
        #expect(problems.map(\.pointer) == [pointer], "\(rule)")
        #expect(problems.map(\.code) == [code], "\(rule)")
    }
}

/// Files with the same content, a folder, and a missing file.
private struct SampleFiles: UploadFiles {
    func source(of name: String) throws(SessionError) -> any BodySource {
        switch name {
        case "missing": throw SessionError(.fileNotFound, "There is no such file")
        case "folder": throw SessionError(.badFile, "It is a folder")
        default: ReplayedSource(Array("pixels".utf8))
        }
    }
}
