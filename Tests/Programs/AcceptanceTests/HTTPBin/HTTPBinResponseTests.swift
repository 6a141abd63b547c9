import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Responses of httpbin")
    struct HTTPBinResponseTests {
        private func withGatewayToHTTPBin(_ body: (APIClient) async throws -> Void) async throws {
            let bin = try await HTTPBin.shared()
            var settings = GatewaySettings()
            settings.sessions = ["bin: { base_url: \"\(bin.origin)\" }"]
            try await withGateway(settings) { gateway in
                try await body(gateway.client())
            }
        }

        private func run(_ client: APIClient, _ path: String, _ serializer: String) async throws -> TaskView {
            try await client.run(#"{"session":"bin","path":"\#(path)","response_serializer":\#(serializer)}"#)
        }

        // MARK: Serializers

        @Test("XML is a tree in document order, with attributes and text")
        func xml() async throws {
            try await withGatewayToHTTPBin { client in
                let task = try await run(client, "xml", #""xml""#)
                #expect(task.state == "succeeded", "\(String(describing: task.error))")
                let root = try #require(task.response?.object)
                #expect(root["name"] == "slideshow")
                #expect(
                    root["attributes"] == [
                        "title": "Sample Slide Show", "date": "Date of publication", "author": "Yours Truly",
                    ])
                let slides = root.elements
                #expect(slides.map { $0["name"] } == ["slide", "slide"])
                let items = slides[1].elements
                #expect(items.map { $0["name"] } == ["title", "item", "item", "item"])
                let em: JSONValue = ["name": "em", "attributes": [:], "children": ["WonderWidgets"]]
                #expect(items[1]["children"] == ["Why ", em, " are great"])
                #expect(items[2]["children"] == [])
            }
        }

        @Test("An image is represented by its format and size")
        func image() async throws {
            try await withGatewayToHTTPBin { client in
                for (format, width, height) in [("png", 100, 100), ("jpeg", 239, 178), ("webp", 274, 367)] {
                    let task = try await run(client, "image/\(format)", #""image""#)
                    let expected: JSONValue = [
                        "format": .string(format), "width": .number(Double(width)), "height": .number(Double(height)),
                    ]
                    #expect(task.response?.object == expected)
                    #expect(task.response?.body?.size ?? 0 > 1000)
                }
            }
        }

        @Test("Text is decoded with its declared charset")
        func text() async throws {
            try await withGatewayToHTTPBin { client in
                let task = try await run(client, "encoding/utf8", #""text""#)
                let text = try #require(
                    try TaskView(await client.get("/v1/tasks/\(task.id)?view=full")).response?.object?.string)
                #expect(text.contains("∮ E⋅da = Q"))
                #expect(text.contains("ði ıntəˈnæʃənəl fəˈnɛtık əsoʊsiˈeıʃn"))
            }
        }

        @Test("auto selects the serializer by the content type")
        func automatic() async throws {
            try await withGatewayToHTTPBin { client in
                let json = try await run(client, "json", #""auto""#)
                #expect(json.response?.object?["slideshow"]?["title"] == "Sample Slide Show")
                #expect(try await run(client, "xml", #""auto""#).response?.object?["name"] == "slideshow")
                #expect(try await run(client, "image/png", #""auto""#).response?.object?["format"] == "png")
                let text = try await run(client, "robots.txt", #""auto""#)
                #expect(text.response?.object == "User-agent: *\nDisallow: /deny\n")
                let bytes = try await run(client, "bytes/1000?seed=1", #""auto""#)
                #expect(bytes.state == "succeeded")
                #expect(bytes.response?.object == nil)
                #expect(bytes.response?.body?.size == 1000)
            }
        }

        @Test("A list uses the first serializer that succeeds")
        func list() async throws {
            try await withGatewayToHTTPBin { client in
                let list = #"["json","xml","raw"]"#
                #expect(try await run(client, "json", list).response?.object?["slideshow"] != nil)
                #expect(try await run(client, "xml", list).response?.object?["name"] == "slideshow")
                let raw = try await run(client, "image/png", list)
                #expect(raw.state == "succeeded")
                #expect(raw.response?.object == nil)
            }
        }

        // MARK: Content

        @Test("Compressed content is decoded")
        func compressed() async throws {
            try await withGatewayToHTTPBin { client in
                for (path, member) in [("gzip", "gzipped"), ("deflate", "deflated")] {
                    let task = try await run(client, path, #""json""#)
                    #expect(task.state == "succeeded", "\(String(describing: task.error))")
                    #expect(task.response?.object?[member] == true)
                    #expect(task.response?.object?["headers"]?["Accept-Encoding"]?.string?.contains("gzip") == true)
                    let body = try await client.get("/v1/tasks/\(task.id)/body")
                    #expect(body.text.contains(#""\#(member)": true"#))
                }
                // Brotli is not offered.
                let brotli = try await run(client, "brotli", #""raw""#)
                #expect(brotli.error?.code == "bad_content_encoding")
            }
        }

        @Test("A stream without a length is stored whole")
        func stream() async throws {
            try await withGatewayToHTTPBin { client in
                let lines = try await run(client, "stream/50", #""raw""#)
                let text = try await client.get("/v1/tasks/\(lines.id)/body").text
                #expect(text.split(separator: "\n").count == 50)
                let drip = try await run(client, "drip?duration=0.2&numbytes=20&delay=0", #""raw""#)
                #expect(drip.response?.body?.size == 20)
                let bytes = try await run(client, "stream-bytes/100000?seed=7&chunk_size=1000", #""raw""#)
                #expect(bytes.response?.body?.size == 100_000)
            }
        }

        @Test("HEAD, and 204, have no content, no object and no error")
        func empty() async throws {
            try await withGatewayToHTTPBin { client in
                for json in [#""path":"get","method":"HEAD""#, #""path":"status/204""#] {
                    let task = try await client.run(#"{"session":"bin",\#(json)}"#)
                    #expect(task.state == "succeeded", "\(String(describing: task.error))")
                    #expect(task.response?.object == nil)
                    #expect(task.response?.body == nil || task.response?.body?.size == 0)
                }
            }
        }

        // MARK: Validation

        @Test("A failure by status includes the object that explains it")
        func status() async throws {
            try await withGatewayToHTTPBin { client in
                let refused = try await run(client, "status/406", #""json""#)
                #expect(refused.state == "failed")
                #expect(refused.error?.code == "unacceptable_status")
                #expect(refused.error?.message.contains("406") == true)
                #expect(refused.response?.object?["message"] == "Client did not request a supported media type.")
                #expect(refused.response?.body?.size ?? 0 > 0)
                for status in [400, 404, 418, 500, 503] {
                    let task = try await run(client, "status/\(status)", #""raw""#)
                    #expect(task.state == "failed")
                    #expect(task.error?.code == "unacceptable_status")
                    #expect(task.response?.status == status)
                }
            }
        }

        @Test("A failure by content type keeps the content without parsing it")
        func contentType() async throws {
            try await withGatewayToHTTPBin { client in
                let task = try await run(client, "html", #""json""#)
                #expect(task.error?.code == "unacceptable_content_type")
                #expect(task.response?.object == nil)
                #expect(try await client.get("/v1/tasks/\(task.id)/body").text.contains("Moby-Dick"))
                // With both serializers it succeeds.
                let both = try await run(client, "status/418", #""image""#)
                #expect(both.error?.code == "unacceptable_status")
                #expect(both.error?.underlying?.code == "unacceptable_content_type")
            }
        }
    }
}

extension JSONValue {
    /// The child elements of an XML element.
    fileprivate var elements: [JSONValue] {
        guard case .array(let children) = self["children"] else { return [] }
        return children.filter { $0["name"] != nil }
    }
}
