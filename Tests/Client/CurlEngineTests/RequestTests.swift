import ErrandCurlEngine
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("CurlEngine: requests on the wire", .timeLimit(.hang))
struct RequestTests {
    @Test("a minimal GET has only a Host field")
    func bareGet() async throws {
        try await withServer(greeting) { server, session in
            let (outcome, text) = await session.perform(try server.request(.get, "/a?b=c"))
            #expect(outcome.error == nil)
            #expect(outcome.head?.status == 200)
            #expect(text == "hello")
            let request = await server.requests.first(1)[0]
            #expect(request.head == "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)")
        }
    }

    @Test(
        "every method is sent, with a content length if the method anticipates content",
        arguments: [
            ("GET", nil), ("DELETE", nil), ("OPTIONS", nil), ("TRACE", nil), ("QUERY", nil), ("LINK", nil),
            ("POST", "0"), ("PUT", "0"), ("PATCH", "0"),
        ])
    func methods(name: String, length: String?) async throws {
        let method = try #require(HTTPRequest.Method(name))
        try await withServer(greeting) { server, session in
            let (outcome, _) = await session.perform(try server.request(method))
            #expect(outcome.error == nil)
            let request = await server.requests.first(1)[0]
            #expect(request.line == "\(name) / HTTP/1.1")
            #expect(request["Content-Length"] == length)
            #expect(request["Transfer-Encoding"] == nil)
        }
    }

    @Test("HEAD receives only the head")
    func head() async throws {
        try await withServer({ connection in
            try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            connection.waitForClose()
        }) { server, session in
            let (outcome, text) = await session.perform(try server.request(.head))
            #expect(outcome.error == nil)
            #expect(outcome.head?.headers[.contentLength] == "1000")
            #expect(text.isEmpty)
            #expect(await server.requests.first(1)[0].line == "HEAD / HTTP/1.1")
        }
    }

    @Test("HEAD receives only the head also with content, which is not sent")
    func headWithContent() async throws {
        let source = ListSource(["x"])
        for body in [TransferBody.bytes([]), .bytes([1]), .bytes(.noise(70_000)), .source(source)] {
            try await withServer({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                connection.waitForClose()
            }) { server, session in
                let receiver = RecordingReceiver()
                let outcome = await session.perform(try server.request(.head, body: body), receiver: receiver)
                #expect(outcome.error == nil)
                #expect(receiver.text.isEmpty)
                let progress = await receiver.control().progress
                #expect(progress.sent == 0 && progress.sendTotal == 0)
                let request = await server.requests.first(1)[0]
                #expect(request.line == "HEAD / HTTP/1.1")
                #expect(request["Content-Length"] == nil && request["Transfer-Encoding"] == nil)
            }
        }
        #expect(source.uses.events.isEmpty)
    }

    @Test("fields are sent as given and in order: empty values, repeated names, non-ASCII bytes")
    func fields() async throws {
        var headers = HTTPFields()
        for (name, value) in [
            ("X-One", "1"), ("x-empty", ""), ("X-One", "2"), ("X-Text", "grüße"), ("User-Agent", "test/1"),
            ("Accept", "text/plain"),
        ] {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        try await withServer(greeting) { [headers] server, session in
            _ = await session.perform(try server.request(headers: headers))
            #expect(
                await server.requests.first(1)[0].fields == [
                    "Host: 127.0.0.1:\(server.port)", "X-One: 1", "x-empty:", "X-One: 2", "X-Text: grüße",
                    "User-Agent: test/1", "Accept: text/plain",
                ])
        }
    }

    @Test("a single Cookie field is sent, and framing fields are ignored")
    func ownFields() async throws {
        let headers: HTTPFields = [
            .cookie: "a=1; b=2", .contentLength: "99", .transferEncoding: "chunked", .expect: "x",
        ]
        try await withServer(greeting) { server, session in
            _ = await session.perform(try server.request(.post, headers: headers, body: .bytes(Array("abc".utf8))))
            #expect(
                await server.requests.first(1)[0].fields == [
                    "Host: 127.0.0.1:\(server.port)", "Cookie: a=1; b=2", "Content-Length: 3",
                ])
        }
    }

    @Test("a request contains nothing of the previous one")
    func pooledHandles() async throws {
        try await withServer(greeting) { server, session in
            let bytes = TransferBody.bytes(Array("abc".utf8))
            _ = await session.perform(
                try server.request(.post, headers: [.contentType: "text/plain", .accept: "*/*"], body: bytes))
            _ = await session.perform(try server.request(.get))
            _ = await session.perform(try server.request(.put, body: .source(ListSource(["x"]))))
            _ = await session.perform(try server.request(.head))
            _ = await session.perform(try server.request(.post))
            _ = await session.perform(try server.request(.delete))
            let requests = await server.requests.first(6)
            let host = "Host: 127.0.0.1:\(server.port)"
            #expect(
                requests.map(\.line) == ["POST", "GET", "PUT", "HEAD", "POST", "DELETE"].map { "\($0) / HTTP/1.1" })
            #expect(requests[0].fields.count == 4)
            #expect(requests[1].fields == [host])
            #expect(requests[2].fields == [host, "Transfer-Encoding: chunked"])
            #expect(requests[3].fields == [host])
            #expect(requests[4].fields == [host, "Content-Length: 0"])
            #expect(requests[5].fields == [host])
        }
    }

    @Test("a request keeps no spelling, order or value of the previous fields")
    func pooledFields() async throws {
        try await withServer(greeting) { server, session in
            let (upper, lower) = (try #require(HTTPField.Name("X-Name")), try #require(HTTPField.Name("x-name")))
            let other = try #require(HTTPField.Name("Other"))
            let lists: [[(HTTPField.Name, String)]] = [
                [(upper, "1"), (other, "2")], [(lower, "1"), (other, "2")], [(other, "2"), (lower, "1")],
                [(other, "2"), (lower, "3")], [(other, "2"), (lower, "3")],
            ]
            for list in lists {
                var headers = HTTPFields()
                for (name, value) in list { headers.append(HTTPField(name: name, value: value)) }
                _ = await session.perform(try server.request(headers: headers))
            }
            let sent = await server.requests.first(lists.count).map { Array($0.fields.dropFirst()) }
            #expect(sent == lists.map { $0.map { "\($0.0.rawName): \($0.1)" } })
        }
    }

    @Test(
        "bytes of any size are sent with their length, with any method",
        arguments: [0, 1, 65_536, 65_537, 3_000_000], [HTTPRequest.Method.post, .put, .delete])
    func bytes(count: Int, method: HTTPRequest.Method) async throws {
        let content = [UInt8].noise(count)
        try await withServer(greeting) { server, session in
            let (outcome, _) = await session.perform(try server.request(method, body: .bytes(content)))
            #expect(outcome.error == nil)
            let request = await server.requests.first(1)[0]
            #expect(request["Content-Length"] == "\(count)")
            #expect(request["Content-Type"] == nil)
            #expect(request["Expect"] == nil)
            #expect(request.body == content)
            #expect(outcome.metrics.bytesSent == Int64(request.wireBytes))
            #expect(outcome.metrics.requestSent != nil)
        }
    }

    @Test("a source of unknown length is sent chunked, one of known length is not")
    func sources() async throws {
        try await withServer(greeting) { server, session in
            _ = await session.perform(try server.request(.post, body: .source(ListSource(["ab", "cde", "f"]))))
            _ = await session.perform(
                try server.request(.post, body: .source(ListSource(["ab", "cde", "f"], length: 6))))
            let requests = await server.requests.first(2)
            #expect(requests[0]["Transfer-Encoding"] == "chunked")
            #expect(requests[0]["Content-Length"] == nil)
            #expect(requests[1]["Content-Length"] == "6")
            #expect(requests[1]["Transfer-Encoding"] == nil)
            #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["abcdef", "abcdef"])
        }
    }

    @Test("a source of unknown length is sent over a new connection if HTTP/1.0 was spoken over the idle one")
    func sourceAfterHTTP10() async throws {
        try await withServer({ connection in
            while true {
                try connection.readRequest()
                let fields = "Connection: keep-alive\r\nContent-Length: 5"
                try connection.send("HTTP/1.0 200 OK\r\n\(fields)\r\n\r\nhello")
            }
        }) { server, session in
            let source = ListSource(["ab", "cd"], canRewind: false)
            #expect(await session.perform(try server.request()).text == "hello")
            let (outcome, text) = await session.perform(try server.request(.post, body: .source(source)))
            #expect(outcome.error == nil)
            #expect(text == "hello")
            #expect(!outcome.metrics.connectionReused)
            // What has a length still goes over the first connection.
            #expect(await session.perform(try server.request(.post, body: .bytes([1]))).text == "hello")
            let requests = server.requests.events
            #expect(requests.map(\.connection) == [0, 1, 0])
            #expect(requests.map(\.body) == [[], Array("abcd".utf8), [1]])
        }
    }

    @Test("at most the declared length is read from a source")
    func greedySource() async throws {
        try await withServer(greeting) { server, session in
            let (outcome, _) = await session.perform(
                try server.request(.post, body: .source(ListSource(["abcdef"], length: 4))))
            #expect(outcome.error == nil)
            #expect(await server.requests.first(1)[0].body == Array("abcd".utf8))
        }
    }

    @Test("a source that ends early, returns nothing or fails causes an error")
    func badSources() async throws {
        try await withServer({ $0.waitForClose() }) { server, session in
            for source in [
                ListSource(["ab"], length: 10), ListSource([""]),
                ListSource([], end: .failed(TransferError(.transportError, "mine"))),
            ] {
                let (outcome, _) = await session.perform(try server.request(.post, body: .source(source)))
                #expect(outcome.error?.code == .transportError)
            }
            #expect(await server.ended.first(3).count == 3)
        }
    }

    @Test("any content type is accepted on demand, unless the request sets its own Accept")
    func accept() async throws {
        try await withServer(greeting) { server, session in
            var request = try server.request()
            _ = await session.perform(request)
            request.acceptsAnything = true
            _ = await session.perform(request)
            request.headers[.accept] = "text/plain"
            _ = await session.perform(request)
            let requests = await server.requests.first(3)
            #expect(requests.map { $0["Accept"] } == [nil, "*/*", "text/plain"])
        }
    }

    @Test("content codings are offered and decoded on demand")
    func compression() async throws {
        // "hello" as gzip (RFC 1952).
        let packed: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00,
            0x86, 0xA6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
        ]
        try await withServer({ connection in
            while true {
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n")
                try connection.send(packed)
            }
        }) { server, session in
            var request = try server.request()
            let plain = RecordingReceiver()
            _ = await session.perform(request, receiver: plain)
            #expect(plain.body == packed)
            request.acceptsCompression = true
            let (outcome, text) = await session.perform(request)
            #expect(outcome.error == nil)
            #expect(text == "hello")
            let requests = await server.requests.first(2)
            #expect(requests[0]["Accept-Encoding"] == nil)
            #expect(try #require(requests[1]["Accept-Encoding"]).contains("gzip"))
        }
    }
}
