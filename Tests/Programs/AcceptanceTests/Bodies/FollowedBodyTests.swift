import ErrandSupport
import Testing

extension Acceptance {
    @Suite("A body that is followed while the task runs")
    struct FollowedBodyTests {
        private static let content = [UInt8].noise(3_000_000)
        private static let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: \(content.count)\r\n\r\n"

        private func settings(
            _ upstream: ScriptedServer, attempts: Int = 1, maxWait: String = "1h"
        ) -> GatewaySettings {
            var settings = GatewaySettings(upstream: upstream.origin, maxBody: "1GiB")
            settings.server = ["max_wait: \(maxWait)"]
            settings.attempts = nil
            let retry = "retry: { max_attempts: \(attempts), backoff: { initial: 1ms } }"
            settings.session = [retry]
            settings.sessions = [
                "again: { base_url: \(upstream.origin)/, \(retry), response: { serializer: raw } }"
            ]
            return settings
        }

        /// Sends the request for the body of a running task, and reads the head of the response.
        private func follow(_ task: TaskView, _ client: APIClient) async throws -> String {
            try await client.connection.send(
                "GET /v1/tasks/\(task.id)/body?follow=true HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            return try await client.connection.text(until: "\r\n\r\n")
        }

        /// Reads chunks until there are so many bytes, or the last chunk.
        ///
        /// - Returns: The content, and true if the last chunk came.
        private func chunks(_ client: APIClient, atLeast count: Int = .max) async throws -> ([UInt8], isWhole: Bool) {
            var content: [UInt8] = []
            while content.count < count {
                let line = try await client.connection.text(until: "\r\n")
                let size = try #require(Int(line, radix: 16))
                content += try await client.connection.bytes(size)
                _ = try await client.connection.bytes(2)
                if size == 0 { return (content, true) }
            }
            return (content, false)
        }

        @Test("Each byte is passed on when it arrives, and the response ends with the task")
        func live() async throws {
            let more = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send(Array(Self.head.utf8) + Self.content.prefix(1))
                more.wait()
                try connection.send(Array(Self.content[1..<400_000]))
                more.wait()
                try connection.send(Array(Self.content[400_000...]))
            }) { upstream in
                try await withGateway(settings(upstream)) { gateway in
                    let client = try gateway.client()
                    let task = try await gateway.client().create(#"{"session":"raw"}"#)
                    let head = try await follow(task, client)
                    #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
                    for field in [
                        "Content-Type: text/csv", "Transfer-Encoding: chunked", "Cache-Control: no-store",
                        "X-Content-Type-Options: nosniff", "Content-Security-Policy: sandbox; default-src 'none'",
                    ] {
                        #expect(head.contains(field), "\(head)")
                    }
                    var (content, isWhole) = try await chunks(client, atLeast: 1)
                    #expect(content == Array(Self.content.prefix(1)))
                    more.open()
                    content += try await chunks(client, atLeast: 399_999).0
                    #expect(content == Array(Self.content.prefix(400_000)))
                    #expect(try await gateway.client().task(task.id).state == "running")
                    more.open()
                    let rest = try await chunks(client)
                    (content, isWhole) = (content + rest.0, rest.isWhole)
                    #expect(isWhole)
                    #expect(content == Self.content)
                    #expect(try await client.finished(task).state == "succeeded")
                    let again = try await client.get("/v1/tasks/\(task.id)/body?follow=true")
                    #expect(again.body == Self.content)
                    #expect(again["ETag"] != nil, "a task that has ended is served as usual")
                }
            }
        }

        @Test("Content of a response that fails is not passed on; the next attempt is followed instead")
        func failedResponse() async throws {
            try await withUpstream({ connection in
                let request = try connection.readRequest()
                if connection.number == 0 {
                    #expect(request.line.hasPrefix("GET"))
                    try connection.respond("503 Service Unavailable", ["Connection: close"], body: "not this")
                    return
                }
                try connection.respond("200 OK", ["Content-Type: text/plain"], body: "this")
            }) { upstream in
                try await withGateway(settings(upstream, attempts: 2)) { gateway in
                    let client = try gateway.client()
                    let task = try await gateway.client().create(
                        #"{"session":"again","start":"suspended"}"#)
                    async let followed = client.get("/v1/tasks/\(task.id)/body?follow=true")
                    _ = try TaskView(await gateway.client().post("/v1/tasks/\(task.id)/resume"))
                    #expect(try await followed.text == "this")
                }
            }
        }

        @Test("Two responses are never joined: after a lost connection the stream breaks, and the task goes on")
        func notSpliced() async throws {
            let next = Gate()
            let lost = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send(Self.head)
                if connection.number == 0 {
                    try connection.send(Array(Self.content.prefix(1_000_000)))
                    lost.wait()
                    return
                }
                next.wait()
                try connection.send(Self.content)
            }) { upstream in
                try await withGateway(settings(upstream, attempts: 2)) { gateway in
                    let client = try gateway.client()
                    let task = try await gateway.client().create(#"{"session":"again"}"#)
                    _ = try await follow(task, client)
                    let (content, isWhole) = try await chunks(client, atLeast: 900_000)
                    #expect(!isWhole)
                    lost.open()
                    let rest = try await client.connection.untilClosedOrReset()
                    #expect(!rest.suffix(5).elementsEqual(Array("0\r\n\r\n".utf8)), "it must not look complete")
                    #expect(content == Array(Self.content.prefix(content.count)))
                    next.open()
                    let done = try await gateway.client().finished(task)
                    #expect(done.state == "succeeded")
                    #expect(done.attempts.count == 2)
                }
            }
        }

        @Test("The stream of a task that fails in the end is incomplete, although all bytes came")
        func failedTask() async throws {
            let last = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{\"a\"")
                last.wait()
                try connection.send(":")
            }) { upstream in
                try await withGateway(settings(upstream)) { gateway in
                    let client = try gateway.client()
                    let task = try await gateway.client().create(#"{"session":"up"}"#)
                    #expect(try await follow(task, client).contains("chunked"))
                    #expect(try await chunks(client, atLeast: 4).0 == Array(#"{"a""#.utf8))
                    last.open()
                    let rest = try await client.connection.untilClosedOrReset()
                    #expect(!rest.suffix(5).elementsEqual(Array("0\r\n\r\n".utf8)), "it must not look complete")
                    #expect(try await gateway.client().finished(task).error?.code == "unparsable_body")
                }
            }
        }

        @Test("A follower that does not read delays neither the task nor other followers, and gets all bytes later")
        func slow() async throws {
            let size = 96 << 20
            let block = Array(Self.content.prefix(1 << 20))
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                for _ in 0..<size / block.count { try connection.send(block) }
            }) { upstream in
                try await withGateway(settings(upstream)) { gateway in
                    let slow = try gateway.client()
                    let task = try await gateway.client().create(#"{"session":"raw","start":"suspended"}"#)
                    try await slow.connection.send(
                        "GET /v1/tasks/\(task.id)/body?follow=true HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                    async let other = gateway.client().get("/v1/tasks/\(task.id)/body?follow=true")
                    _ = try TaskView(await gateway.client().post("/v1/tasks/\(task.id)/resume"))
                    #expect(try await slow.connection.text(until: "\r\n\r\n").contains("chunked"))
                    #expect(try await gateway.client().finished(task).state == "succeeded")
                    #expect(try await other.body.count == size)
                    let (content, isWhole) = try await chunks(slow)
                    #expect(isWhole)
                    #expect(content.count == size)
                    #expect(
                        stride(from: 0, to: content.count, by: block.count).allSatisfy {
                            // Compared as arrays: elements of slices would take a minute with the thread sanitizer.
                            Array(content[$0...].prefix(block.count)) == block
                        })
                }
            }
        }

        @Test("Followers that leave leave nothing behind: no descriptor, no place, and the task succeeds")
        func left() async throws {
            let end = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                try connection.send(Self.head)
                try connection.send(Array(Self.content.prefix(1_000_000)))
                end.wait()
                try connection.send(Array(Self.content[1_000_000...]))
            }) { upstream in
                var settings = settings(upstream)
                settings.server += ["max_connections: 400", "max_connections_per_address: 400"]
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"raw"}"#)
                    for round in 0..<2 {
                        var followers: [APIClient] = []
                        for _ in 0..<128 {
                            let follower = try gateway.client()
                            var head = try await follow(task, follower)
                            // The gateway may not have noticed yet that those of the round before have left.
                            while round > 0, head.hasPrefix("HTTP/1.1 503") {
                                let length = try #require(head.split(separator: "Content-Length: ").last)
                                _ = try await follower.connection.bytes(
                                    #require(Int(length.prefix { $0.isNumber })))
                                head = try await follow(task, follower)
                            }
                            #expect(head.hasPrefix("HTTP/1.1 200"))
                            followers.append(follower)
                        }
                        if round == 0 {
                            let refused = try await client.get("/v1/tasks/\(task.id)/body?follow=true")
                            #expect(try ProblemView(refused).type == "/problems/too-many-followers")
                            #expect(refused.status == 503)
                            #expect(refused["Retry-After"] == "1")
                        }
                        for follower in followers { follower.connection.reset() }
                    }
                    end.open()
                    #expect(try await client.finished(task).state == "succeeded")
                    #expect(try await client.get("/v1/tasks/\(task.id)/body").body == Self.content)
                    // The last descriptor of the file is closed once the gateway has noticed that the followers left.
                    try await until { try gateway.openFiles(with: task.id) == 0 }
                }
            }
        }

        @Test("What cannot be followed is refused with the reason")
        func refused() async throws {
            let folder = try TemporaryFolder()
            let gate = Gate()
            try await withUpstream({ connection in
                try connection.readRequest()
                gate.wait()
                try connection.respond()
            }) { upstream in
                var settings = settings(upstream, maxWait: "1s")
                settings.files = ["downloads: \(folder["down"])"]
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.create(#"{"session":"raw"}"#)
                    let early = try ProblemView(await client.get("/v1/tasks/\(task.id)/body?follow=true"))
                    #expect(early.status == 409)
                    #expect(early.detail?.contains("no content of an acceptable response has arrived yet") == true)
                    let wrong = try ProblemView(await client.get("/v1/tasks/\(task.id)/body?follow=yes"))
                    #expect(wrong.detail == "follow: expected true or false, found \"yes\"")
                    #expect(wrong.status == 400)
                    let old = try await gateway.client().connection.exchange(
                        "GET /v1/tasks/\(task.id)/body?follow=true HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
                    #expect(old.status == 400)
                    #expect(try ProblemView(old).detail?.hasPrefix("follow: true needs HTTP/1.1") == true)
                    let file = try await client.create(
                        #"{"session":"raw","kind":"download","start":"suspended","download":{"destination":"a"}}"#)
                    let download = try ProblemView(await client.get("/v1/tasks/\(file.id)/body?follow=true"))
                    #expect(download.status == 404)
                    #expect(download.detail?.contains("a download without a destination can") == true)
                    gate.open()
                    #expect(try await client.finished(task).state == "succeeded")
                }
            }
        }
    }
}
