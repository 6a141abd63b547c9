import ErrandSupport
import Testing

extension Acceptance {
    @Suite("Content that the upstream does not read")
    struct UnreadUploadTests {
        @Test("Over HTTP/2 too, a task ends with the response that refuses its content, and is sent once")
        func refused() async throws {
            let requests = EventLog<Int>()
            try await withUpstream({ connection in
                try connection.beginHTTP2()
                requests.append(connection.number)
                try connection.send(
                    HTTP2Frames.notFound + HTTP2Frames.data("no such place", isLast: true) + HTTP2Frames.reset(0))
                connection.waitForClose()
            }) { upstream in
                var settings = GatewaySettings(upstream: upstream.origin, attempts: 3)
                settings.session = [#"connection: { http: "2" }"#]
                try await withGateway(settings) { gateway in
                    // More than the peer's flow control allows.
                    let content = String(repeating: "x", count: 200_000)
                    let task = try await gateway.client().create(
                        #"{"session":"up","method":"PUT","body":{"text":"\#(content)"}}"#)
                    let failed = try await gateway.client().finished(task)
                    #expect(failed.error?.code == "unacceptable_status")
                    #expect(failed.response?.status == 404)
                    #expect(requests.events == [0])
                }
            }
        }
    }
}
