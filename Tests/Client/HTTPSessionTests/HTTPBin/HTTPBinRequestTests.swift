import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("httpbin understands", .timeLimit(.hang))
struct HTTPBinRequestTests {
    @Test(
        "every method, with content if it has some", arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func methods(method: String) async throws {
        let api = try await HTTPBin.session()
        let body: TaskBody? = method == "GET" ? nil : .text("süß")
        let request = try await api.echo(of: TaskRequest(method: method, path: "anything/a%20b?c=d", body: body))
        #expect(request.method == method)
        #expect(request.url.hasSuffix("/anything/a b?c=d") || request.url.hasSuffix("/anything/a%20b?c=d"))
        #expect(request.args == ["c": "d"])
        #expect(request.data == (method == "GET" ? "" : "süß"))
        #expect(request.headers["Content-Type"] == (method == "GET" ? nil : "text/plain; charset=utf-8"))
        #expect(request.headers["User-Agent"] == SessionConfiguration.defaultUserAgent)
    }

    @Test("HEAD, whose response states the length of content that does not come")
    func head() async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let response = try await api.data(for: TaskRequest(method: "HEAD", path: "bytes/1234"))
        #expect(response.head.status == 200)
        #expect(response.head.headers[.contentLength] == "1234")
        #expect(response.body?.size == 0)
    }

    @Test("OPTIONS, whose response lists the allowed methods")
    func options() async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let response = try await api.data(for: TaskRequest(method: "OPTIONS", path: "post"))
        let allowed = try #require(response.head.headers[.allow]).split(separator: ", ")
        #expect(allowed.contains("POST"))
        #expect(!allowed.contains("PUT"))
    }

    @Test("header fields of the session and of the task, which take precedence")
    func headers() async throws {
        let name = try #require(HTTPField.Name("X-Both"))
        let api = try await HTTPBin.session {
            $0.headers[name] = "session"
            $0.userAgent = "tester/2.0"
        }
        let fields = [TaskHeader("x-both", "task"), TaskHeader("X-Text", "a, b;c=\"d\"")]
        let request = try await api.echo(of: TaskRequest(path: "headers/../anything", headers: fields))
        #expect(request.headers["X-Both"] == "task")
        #expect(request.headers["X-Text"] == "a, b;c=\"d\"")
        #expect(request.headers["User-Agent"] == "tester/2.0")
        let bare = try await api.echo(
            of: TaskRequest(path: "anything", headers: [TaskHeader("X-Both", nil), TaskHeader("User-Agent", nil)]))
        #expect(bare.headers["X-Both"] == nil)
        #expect(bare.headers["User-Agent"] == nil)
    }

    @Test("parameters in the query, in any script")
    func query() async throws {
        let api = try await HTTPBin.session()
        let parameters = json(
            #"{"plain":"a b+c&d=e/f?g#h","ключ":"значение 🐘","n":1.50,"list":["x","y"],"deep":{"a":"1"}}"#)
        let request = try await api.echo(of: TaskRequest(path: "get", parameters: parameters))
        #expect(
            request.args == [
                "plain": "a b+c&d=e/f?g#h", "ключ": "значение 🐘", "n": "1.50", "list[]": ["x", "y"], "deep[a]": "1",
            ])
    }

    @Test("parameters as a form, in any script")
    func form() async throws {
        let api = try await HTTPBin.session()
        let parameters = json(#"{"plain":"a b+c&d=e","ключ":"🐘","list":["x","y"],"ok":true}"#)
        let request = try await api.echo(of: TaskRequest(method: "POST", path: "post", parameters: parameters))
        #expect(request.form == ["plain": "a b+c&d=e", "ключ": "🐘", "list[]": ["x", "y"], "ok": "1"])
        #expect(request.data == "")
        #expect(request.headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
    }

    @Test("parameters as JSON, byte for byte")
    func jsonParameters() async throws {
        let api = try await HTTPBin.session { $0.request.serializer = .json }
        let text = #"{"id":12345678901234567890,"price":1.10,"text":"🐘","a":null,"a":[]}"#
        let request = try await api.echo(of: TaskRequest(method: "PUT", path: "put", parameters: json(text)))
        #expect(request.data == text)
        #expect(request.headers["Content-Type"] == "application/json")
    }

    @Test("parameters as a property list, as another reader confirms")
    func propertyList() async throws {
        let api = try await HTTPBin.session { $0.request.serializer = .plist }
        let parameters = json(#"{"name":"<Ada & Co>","n":7,"list":[true,1.5]}"#)
        let request = try await api.echo(of: TaskRequest(method: "POST", path: "post", parameters: parameters))
        let data = Data(try #require(request.data).utf8)
        let list = try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(list["name"] as? String == "<Ada & Co>")
        #expect(list["n"] as? Int == 7)
        #expect((list["list"] as? [Any])?.count == 2)
        #expect(request.headers["Content-Type"] == "application/x-plist")
    }

    @Test("parameters in parts")
    func multipartParameters() async throws {
        let api = try await HTTPBin.session { $0.request.serializer = .multipart }
        let parameters = json(#"{"text":"line 1\r\n--line 2 🐘","n":1.10}"#)
        let request = try await api.echo(of: TaskRequest(method: "POST", path: "post", parameters: parameters))
        #expect(request.form == ["text": "line 1\r\n--line 2 🐘", "n": "1.10"])
        #expect(request.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(request.headers["Content-Length"] != nil)
    }

    @Test("parts of a form, of which those with a file name are files")
    func parts() async throws {
        let api = try await HTTPBin.session()
        let body = TaskBody.parts([
            TaskPart("title", .text("Ü")),
            TaskPart("one", .text("text"), filename: "a \"b\".txt", contentType: "text/plain"),
            TaskPart("two", .bytes([0x00, 0xFF, 0x0D, 0x0A]), filename: "b.bin"),
        ])
        let request = try await api.echo(of: TaskRequest(method: "POST", path: "post", body: body))
        #expect(request.form == ["title": "Ü"])
        #expect(
            request.files == ["one": "text", "two": "data:application/octet-stream;base64,AP8NCg=="])
    }

    @Test("arbitrary bytes")
    func bytes() async throws {
        let api = try await HTTPBin.session()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) }
        let request = try await api.echo(of: TaskRequest(method: "POST", path: "post", body: .bytes(bytes)))
        let encoded = try #require(request.data?.split(separator: ",").last)
        #expect(Data(base64Encoded: String(encoded)) == Data(bytes))
    }

    @Test("a hundred concurrent requests, each with its own response")
    func crowd() async throws {
        let api = try await HTTPBin.session()
        let responses = try await withThrowingTaskGroup(of: (Int, EchoedValues?).self) { group in
            for number in 0..<100 {
                group.addTask {
                    let request = try await api.echo(of: TaskRequest(path: "get?n=\(number)"))
                    return (number, request.args["n"])
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(responses.count == 100)
        #expect(responses.allSatisfy { $1 == EchoedValues(stringLiteral: "\($0)") })
    }
}
