import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Callbacks")
    struct CallbackTests {
        private typealias Settings = CallbackSettings

        @Test("Independent libraries verify a message, with the old and the new secret during a rotation")
        func verified() async throws {
            let folder = try TemporaryFolder()
            try await withUpstream(ScriptedServer.accepting) { receiver in
                let url = "\(receiver.origin)/hook"
                func settings(_ secrets: [String]) -> GatewaySettings {
                    Settings.settings(upstream: receiver.origin, secrets: secrets)
                }
                try await withGateway(settings([Settings.secret]), in: folder) { gateway in
                    let client = try gateway.client()
                    func message(_ number: Int, verifiedBy secrets: String...) async throws {
                        let task = try await client.run(Settings.task(callback: url))
                        let delivery = try await client.finished(client.delivery(about: task))
                        #expect(delivery.state == "succeeded")
                        #expect(delivery.session == "callbacks")
                        // Each task sends its own request, and then the message.
                        let request = await receiver.requests.first(2 * number)[2 * number - 1]
                        #expect(request.line == "POST /hook HTTP/1.1")
                        #expect(request["content-type"] == "application/json")
                        #expect(request["webhook-id"] == delivery.id)
                        let told = try JSONDecoder().decode(Message.self, from: Data(request.body))
                        #expect(told.type == "task.succeeded")
                        #expect(told.data.id == task.id)
                        #expect(told.data.state == "succeeded")
                        for secret in [Settings.secret, Settings.nextSecret] {
                            let verdicts = try await WebhookLibraries.verdicts(
                                on: WebhookLibraries.Webhook(request, secret: secret), in: folder.path)
                            #expect(verdicts.count == 2)
                            for (library, verdict) in verdicts {
                                #expect((verdict == "valid") == secrets.contains(secret), "\(library): \(verdict)")
                            }
                        }
                    }
                    try await message(1, verifiedBy: Settings.secret)
                    for (number, secrets) in [
                        (2, [Settings.nextSecret, Settings.secret]), (3, [Settings.nextSecret]),
                    ] {
                        try folder.write(settings(secrets).yaml(folder), to: "config.yaml")
                        #expect(try await client.post("/v1/config:reload").status == 200)
                        if secrets.count == 2 {
                            try await message(number, verifiedBy: Settings.secret, Settings.nextSecret)
                        } else {
                            try await message(number, verifiedBy: Settings.nextSecret)
                        }
                    }
                    let shown = try await client.get("/v1/tasks?kind=callback").text
                    #expect(!shown.contains(Settings.secret.dropFirst(6)))
                }
            }
        }

        @Test("A successful status delivers a message, whatever the content of the response", arguments: [true, false])
        func judgedByStatus(isMiscoded: Bool) async throws {
            let folder = try TemporaryFolder()
            let script: ScriptedServer.Script = { connection in
                while true {
                    let request = try connection.readRequest()
                    guard request.line.hasPrefix("POST") else {
                        try connection.respond(body: "{}")
                        continue
                    }
                    if isMiscoded {
                        try connection.respond("200 OK", ["Content-Encoding: gzip"], body: "no member of gzip")
                    } else {
                        // More than the session's max_body.
                        try connection.respond(body: String(repeating: "x", count: 100_000))
                    }
                }
            }
            try await withUpstream(script) { receiver in
                let settings = Settings.settings(upstream: receiver.origin, secrets: [Settings.secret])
                try await withGateway(settings, in: folder) { gateway in
                    let client = try gateway.client()
                    let task = try await client.run(Settings.task(callback: "\(receiver.origin)/hook"))
                    let delivery = try await client.finished(client.delivery(about: task))
                    #expect(delivery.state == "succeeded")
                    #expect(receiver.requests.events.filter { $0.line.hasPrefix("POST") }.count == 1)
                }
            }
        }

        @Test("A receiver's responses that cannot be parsed affect no other message")
        func unparseable() async throws {
            try await withUpstream(ScriptedServer.accepting) { upstream in
                try await withUpstream({ connection in
                    while true {
                        let request = try connection.readRequest()
                        if request.line.hasPrefix("POST /fold ") {
                            return try connection.sendFoldedResponse()
                        }
                        try connection.respond("200 OK", [ScriptedConnection.longField], body: "")
                    }
                }) { receiver in
                    let settings = Settings.settings(upstream: upstream.origin, secrets: [Settings.secret])
                    try await withGateway(settings) { gateway in
                        let client = try gateway.client()
                        for _ in 0..<10 {
                            let good = try await client.run(Settings.task(callback: "\(receiver.origin)/"))
                            #expect(try await client.finished(client.delivery(about: good)).state == "succeeded")
                            let bad = try await client.run(Settings.task(callback: "\(receiver.origin)/fold"))
                            let delivery = try await client.attempted(client.delivery(about: bad))
                            #expect(delivery.attempts.first?.error?.code == "cannot_parse_response")
                        }
                    }
                }
            }
        }

        private struct Message: Decodable {
            var type: String
            var data: TaskView

            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: Key.self)
                type = try values.decode(String.self, forKey: .type)
                data = try values.decode(Data.self, forKey: .data).task
            }

            enum Key: String, CodingKey { case type, data }

            private struct Data: Decodable {
                var task: TaskView
                init(from decoder: any Decoder) throws { task = try TaskView(from: decoder) }
            }
        }

        @Test("A receiver that is gone (410) gets no retry, a busy one gets it at the requested time")
        func refused() async throws {
            try await withUpstream(ScriptedServer.accepting) { upstream in
                let settings = Settings.settings(upstream: upstream.origin, secrets: [Settings.secret])
                try await withUpstream(Settings.answering("410 Gone")) { receiver in
                    try await withGateway(settings) { gateway in
                        let client = try gateway.client()
                        let task = try await client.run(Settings.task(callback: "\(receiver.origin)/"))
                        let delivery = try await client.finished(client.delivery(about: task))
                        #expect(delivery.state == "failed")
                        #expect(delivery.attempts.map(\.status) == [410])
                        // Retried by a client, it is the same message.
                        let again = try await TaskView(
                            client.post("/v1/tasks/\(delivery.id)/retry"), expecting: [202])
                        #expect(try await client.finished(again).state == "failed")
                        #expect(again.parent == task.id)
                        let ids = await receiver.requests.first(2).map { $0["webhook-id"] }
                        #expect(ids == [delivery.id, delivery.id])
                    }
                }
                let clock = ContinuousClock()
                // Noted by the receiver before it answers: the pause begins later, however late this test runs.
                let times = EventLog<ContinuousClock.Instant>()
                let busy = Settings.answering(
                    "503 Service Unavailable", "204 No Content", fields: ["Retry-After: 7"]
                ) { times.append(clock.now) }
                try await withUpstream(busy) { receiver in
                    try await withGateway(settings) { gateway in
                        let client = try gateway.client()
                        let task = try await client.run(Settings.task(callback: "\(receiver.origin)/"))
                        let requests = await receiver.requests.first(2)
                        let told = await times.first(2)
                        // Without Retry-After the pause would be at most 6 s.
                        #expect(told[1] - told[0] >= .seconds(6.9))
                        #expect(requests[0]["webhook-id"] == requests[1]["webhook-id"])
                        #expect(requests[0]["webhook-timestamp"] != requests[1]["webhook-timestamp"])
                        #expect(requests[0].body == requests[1].body)
                        #expect(try await client.finished(client.delivery(about: task)).state == "succeeded")
                    }
                }
            }
        }

        @Test("A message interrupted by kill -9 is sent again with the same id")
        func killed() async throws {
            let folder = try TemporaryFolder()
            let gate = Gate()
            try await withUpstream(ScriptedServer.accepting) { upstream in
                try await withUpstream({ connection in
                    try connection.readRequest()
                    if connection.number == 0 { gate.wait() }
                    try connection.respond("200 OK", [], body: "")
                }) { receiver in
                    let settings = Settings.settings(upstream: upstream.origin, secrets: [Settings.secret])
                    let gateway = try await GatewayProcess(settings, in: folder)
                    let task = try await gateway.client().run(Settings.task(callback: "\(receiver.origin)/"))
                    _ = await receiver.requests.first(1)
                    await gateway.kill()
                    gate.open()
                    try await withGateway(settings, in: folder) { gateway in
                        let client = try gateway.client()
                        let delivery = try await client.finished(client.delivery(about: task))
                        #expect(delivery.state == "succeeded")
                        let ids = await receiver.requests.first(2).map { $0["webhook-id"] }
                        #expect(ids == [delivery.id, delivery.id])
                    }
                }
            }
        }

        @Test("A canceled task is reported too, a state that was not requested is not")
        func states() async throws {
            try await withUpstream(ScriptedServer.accepting) { receiver in
                let settings = Settings.settings(upstream: receiver.origin, secrets: [Settings.secret])
                try await withGateway(settings) { gateway in
                    let client = try gateway.client()
                    let quiet = try await client.run(
                        Settings.task(callback: "\(receiver.origin)/", more: #","states":["failed"]"#))
                    #expect(try await client.list("?parent=\(quiet.id)").tasks.isEmpty)
                    let held = try await client.create(
                        #"{"session":"up","start":"suspended","callback":{"url":"\#(receiver.origin)/"}}"#)
                    #expect(try await client.post("/v1/tasks/\(held.id)/cancel").status == 200)
                    let delivery = try await client.finished(client.delivery(about: held))
                    #expect(delivery.state == "succeeded")
                    let message = try #require(await receiver.requests.first(2).last)
                    #expect(String(decoding: message.body, as: UTF8.self).hasPrefix(#"{"type":"task.canceled","#))
                }
            }
        }
    }
}
