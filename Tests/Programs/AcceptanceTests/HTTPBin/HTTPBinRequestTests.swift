import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Requests as received by httpbin")
    struct HTTPBinRequestTests {
        /// Runs a gateway with a session `bin` with default settings, and files to upload.
        private func withGatewayToHTTPBin(_ body: (APIClient) async throws -> Void) async throws {
            let bin = try await HTTPBin.shared()
            let folder = try TemporaryFolder()
            try folder.makeFolder("uploads")
            try folder.write("first line\nsecond line\n", to: "uploads/notes.txt")
            var settings = GatewaySettings()
            settings.files = ["uploads: \(folder["uploads"])"]
            settings.sessions = ["bin: { base_url: \"\(bin.origin)\" }"]
            try await withGateway(settings, in: folder) { gateway in
                try await body(gateway.client())
            }
        }

        /// Returns the request as reported by httpbin.
        private func echo(_ client: APIClient, _ task: String) async throws -> JSONValue {
            let task = try await client.run(task)
            #expect(task.state == "succeeded", "\(String(describing: task.error))")
            return try #require(task.response?.object)
        }

        @Test("Parameters of a GET are added to the query of the path")
        func query() async throws {
            try await withGatewayToHTTPBin { client in
                let echo = try await echo(
                    client,
                    #"{"session":"bin","path":"anything?page=2#part","parameters":{"tags":["a b","ü&="],"q":{"n":1.10}}}"#
                )
                #expect(echo["method"] == "GET")
                #expect(echo["args"] == ["page": "2", "tags[]": ["a b", "ü&="], "q[n]": "1.10"])
                #expect(echo["data"] == "")
            }
        }

        @Test("A form, by default: nested, in order, escaped, with numbers as they were written")
        func form() async throws {
            try await withGatewayToHTTPBin { client in
                let echo = try await echo(
                    client,
                    #"""
                    {"session":"bin","path":"anything","method":"POST","parameters":
                     {"z":1.10,"list":["1",2],"deep":{"a b":{"ö":"&=+ %"}},"yes":true,"no":false,"none":null,"empty":"",
                      "big":12345678901234567890}}
                    """#)
                #expect(
                    echo["form"] == [
                        "z": "1.10", "list[]": ["1", "2"], "deep[a b][ö]": "&=+ %", "yes": "1", "no": "0", "none": "",
                        "empty": "", "big": "12345678901234567890",
                    ])
                #expect(echo["headers"]?["Content-Type"] == "application/x-www-form-urlencoded")
            }
        }

        @Test("JSON, byte for byte")
        func json() async throws {
            try await withGatewayToHTTPBin { client in
                let parameters = #"{"b": 1.10, "a": [null, {"ö": "\u00f6"}], "b": 19007199254740993}"#
                for method in ["POST", "PUT", "PATCH"] {
                    let echo = try await echo(
                        client,
                        #"{"session":"bin","path":"anything","method":"\#(method)","request_serializer":"json","#
                            + #""parameters":\#(parameters)}"#)
                    #expect(echo["method"]?.string == method)
                    #expect(echo["data"]?.string == parameters)
                    #expect(echo["headers"]?["Content-Type"] == "application/json")
                }
            }
        }

        @Test("A property list")
        func propertyList() async throws {
            try await withGatewayToHTTPBin { client in
                let echo = try await echo(
                    client,
                    #"""
                    {"session":"bin","path":"anything","method":"POST","request_serializer":"plist",
                     "parameters":{"name":"a<b & ö","count":3,"ratio":1.5,"on":true,"list":["x"]}}
                    """#)
                #expect(echo["headers"]?["Content-Type"] == "application/x-plist")
                let text = try #require(echo["data"]?.string)
                #expect(text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC "))
                let lines = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                for element in [
                    "<key>name</key> <string>a&lt;b &amp; ö</string>", "<key>count</key> <integer>3</integer>",
                    "<key>ratio</key> <real>1.5</real>", "<key>on</key> <true/>",
                    "<key>list</key> <array> <string>x</string> </array>",
                ] {
                    #expect(lines.contains(element), "\(text)")
                }
            }
        }

        @Test("Multipart: parameters as parts, with a file that is streamed from the folder of uploads")
        func multipart() async throws {
            try await withGatewayToHTTPBin { client in
                let parameters = try await echo(
                    client,
                    #"""
                    {"session":"bin","path":"anything","method":"POST","request_serializer":"multipart",
                     "parameters":{"title":"ö","tags":["a","b"]}}
                    """#)
                #expect(parameters["form"] == ["title": "ö", "tags[]": ["a", "b"]])

                let parts = try await echo(
                    client,
                    #"""
                    {"session":"bin","path":"anything","body":{"parts":[
                      {"name":"say \"hi\"","text":"hello"},
                      {"name":"small","filename":"s.bin","content_type":"application/x-s","base64":"AAH/"},
                      {"name":"notes","file":"notes.txt"}]}}
                    """#)
                #expect(parts["method"] == "POST")
                #expect(parts["form"] == ["say \"hi\"": "hello"])
                #expect(parts["files"]?["notes"] == "first line\nsecond line\n")
                #expect(parts["files"]?["small"] == "data:application/x-s;base64,AAH/")
                let type = try #require(parts["headers"]?["Content-Type"]?.string)
                #expect(type.hasPrefix("multipart/form-data; boundary="))
                #expect(parts["headers"]?["Transfer-Encoding"] == nil)
            }
        }

        @Test("A file as the whole content; a missing or outside file fails by name, and no request is sent")
        func file() async throws {
            try await withGatewayToHTTPBin { client in
                let echo = try await echo(
                    client, #"{"session":"bin","path":"anything","method":"PUT","body":{"file":"notes.txt"}}"#)
                #expect(echo["data"] == "first line\nsecond line\n")
                #expect(echo["headers"]?["Content-Length"] == "23")
                for name in ["nothing.txt", "../config.yaml", "/etc/hostname"] {
                    let json = #"{"session":"bin","path":"anything","body":{"file":"\#(name)"}}"#
                    let problem = try ProblemView(await client.post("/v1/tasks", json: json))
                    #expect(problem.status == 422)
                    #expect(problem.errors?.map(\.pointer) == ["/body/file"])
                }
            }
        }

        @Test("Header fields of the task, over those of the session")
        func headers() async throws {
            try await withGatewayToHTTPBin { client in
                let echo = try await echo(
                    client,
                    #"{"session":"bin","path":"anything","headers":{"x-one":"1","User-Agent":null,"Accept":"text/x"}}"#)
                #expect(echo["headers"]?["X-One"] == "1")
                #expect(echo["headers"]?["User-Agent"] == nil)
                #expect(echo["headers"]?["Accept"] == "text/x")
            }
        }
    }
}
