import ErrandHTTPServer
import ErrandSupport
import ErrandTaskEngine
import ErrandTaskStore
import HTTPTypes
import Testing

@testable import ErrandGatewayAPI
@testable import ErrandGatewaySupport

@Suite("GET /metrics", .timeLimit(.hang))
struct MetricsEndpointTests {
    @Test("Counts tasks, attempts and conditions by session")
    func families() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let before = try await fixture.response(.get, "/metrics").text
            #expect(before.contains(#"errand_tasks_finished_total{session="up",kind="data",outcome="succeeded"} 0"#))
            #expect(try await fixture.run().state == "succeeded")
            #expect(try await fixture.create(#","start":"suspended""#).state == "suspended")
            let response = try await fixture.response(.get, "/metrics")
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(response.headers[.vary] == "Accept")
            let lines = response.text.split(separator: "\n").map(String.init)
            for line in [
                #"errand_tasks{session="up",state="succeeded",kind="data"} 1"#,
                #"errand_tasks{session="up",state="suspended",kind="data"} 1"#,
                #"errand_tasks{session="up",state="failed",kind="data"} 0"#,
                #"errand_attempts_running{session="up"} 0"#,
                #"errand_tasks_finished_total{session="up",kind="data",outcome="succeeded"} 1"#,
                #"errand_task_duration_seconds_count{session="up"} 1"#,
                #"errand_attempts_total{session="up",status_class="2xx"} 1"#,
                #"errand_attempt_duration_seconds_bucket{session="up",le="+Inf"} 1"#,
                #"errand_retries_total{session="up"} 0"#,
                #"errand_session_hold{session="up",reason="session_suspended"} 0"#,
                #"errand_session_circuit{session="up",state="closed"} 1"#,
                #"errand_session_circuit{session="up",state="open"} 0"#, "errand_build_info 1",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
        }
    }

    @Test("Counts the transactions of the store and their operations")
    func store() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            #expect(try await fixture.run().state == "succeeded")
            let lines = try await fixture.response(.get, "/metrics").text.split(separator: "\n")
            func value(_ name: String) throws -> Double {
                let line = try #require(lines.first { $0.hasPrefix("\(name) ") })
                return try #require(line.split(separator: " ").last.flatMap { Double($0) })
            }
            #expect(try value("errand_store_commit_duration_seconds_count") > 0)
            #expect(try value("errand_store_commit_duration_seconds_sum") > 0)
            #expect(
                try value("errand_store_commit_operations_sum")
                    >= value("errand_store_commit_duration_seconds_count"))
            #expect(try value("errand_store_failed_operations_total") == 0)
            #expect(try value("errand_store_waiting_operations") >= 0)
            #expect(try value("errand_store_log_bytes") >= 0)
        }
    }

    @Test(
        "The resources of the process have the names that collectors expect",
        arguments: [
            "process_resident_memory_bytes", "process_cpu_seconds_total", "process_threads", "process_open_fds",
            "process_start_time_seconds",
        ])
    func process(name: String) async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let lines = try await fixture.response(.get, "/metrics").text.split(separator: "\n")
            let samples = lines.filter { $0.hasPrefix("\(name) ") }
            #expect(samples.count == 1)
            let value = try #require(samples.first?.split(separator: " ").last.flatMap { Double($0) })
            #expect(value >= 0)
        }
    }

    @Test("A store that fails, or does not answer, takes away no more than the ages of queues that it has to tell")
    func storeWithoutAnswer() async throws {
        let first = try GatewayFixture()
        try await first.open {
            #expect(try await first.response(.post, "/v1/sessions/up/suspend").status == .ok)
            for _ in 1...2 { _ = try await first.create() }
        }
        let upstream = ScriptedTransport.Gate()
        let log = RecordedLog()
        var patience = ClientPatience.unlimited
        patience.metrics = ClientPatience().metrics
        let fixture = try GatewayFixture(
            folder: first.folder, session: try DispatcherFixture.configuration(concurrent: 1),
            transport: ScriptedTransport([.wait(upstream)] + DispatcherFixture.response), logger: log.logger,
            patience: patience)
        let age = #"errand_queue_age_seconds{session="up"} "#
        try await fixture.open {
            #expect(try await fixture.response(.post, "/v1/sessions/up/resume").status == .ok)
            // The second task is the first of the queue, which was loaded from the store.
            _ = await fixture.transport.requests(1)
            try await until { try await fixture.response(.get, "/metrics").text.contains(age) }
            let families = Self.families(of: try await fixture.response(.get, "/metrics").text)

            fixture.store.intervene { operation async throws(TaskStoreError) in
                if case .readyTimes = operation { throw TaskStoreError(.inputOutput, "The disk fails") }
            }
            for _ in 1...3 {
                let response = try await fixture.response(.get, "/metrics")
                #expect(response.status == .ok)
                #expect(!response.text.contains(age))
                #expect(Self.families(of: response.text) == families)
            }

            let reads = EventLog<Void>()
            let answer = Signal<Void>()
            fixture.store.intervene { operation async throws(TaskStoreError) in
                guard case .readyTimes = operation else { return }
                reads.append()
                await answer.wait()
            }
            for _ in 1...3 {
                let text = try await fixture.response(.get, "/metrics").text
                #expect(!text.contains(age))
                #expect(Self.families(of: text) == families)
            }
            #expect(reads.events.count == 1)
            let lines = log.lines.filter { $0.message.hasPrefix("Queue ages are missing in the metrics") }
            #expect(lines.count == 2, "one for each reason")

            answer.send()
            try await until { try await fixture.response(.get, "/metrics").text.contains(age) }
            fixture.store.intervene(nil)
            upstream.open()
        }
    }

    /// Returns the lines with the names and kinds of the families of a text.
    private static func families(of text: String) -> [Substring] {
        text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
    }

    @Test("Each family has a description and a kind, and all its samples follow")
    func form() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let text = try await fixture.response(.get, "/metrics").text
            var family = ""
            var families: Set<String> = []
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                if line.hasPrefix("# HELP ") {
                    family = String(words[2])
                    #expect(words.count > 3)
                    #expect(families.insert(family).inserted, "\(family) is there twice")
                } else if line.hasPrefix("# TYPE ") {
                    #expect(words[2] == family)
                } else {
                    #expect(line.hasPrefix(family), "\(line)")
                }
            }
            #expect(families.count > 10)
        }
    }

    @Test("OpenMetrics is returned to clients that ask for it, and says that it is complete")
    func openMetrics() async throws {
        let fixture = try GatewayFixture()
        try await fixture.open {
            let response = try await fixture.response(
                .get, "/metrics", fields: ["Accept: application/openmetrics-text; version=1.0.0"])
            #expect(response.headers[.contentType] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            #expect(response.text.contains("\n# TYPE errand_retries counter\nerrand_retries_total{"))
            #expect(response.text.hasSuffix("\n# EOF\n"))
        }
    }
}
