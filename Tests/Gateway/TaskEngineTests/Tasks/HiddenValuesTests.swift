import ErrandJSON
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("HiddenValues")
struct HiddenValuesTests {
    /// Returns the record of a task that clients see in another form.
    private func record(_ document: String, shown: String, decoder: TaskDecoder) async throws -> TaskRecord {
        let hidden = HiddenValues(of: Array(document.utf8), missingIn: Array(shown.utf8))
        return try await decoder.decode(Array(document.utf8)).hiding(hidden)
            .record(id: .sample(1), at: DispatcherFixture.start)
    }

    private func decoder(_ urlScope: URLScope = .origin) throws -> TaskDecoder {
        var up = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://upstream.example/v1/"))
        up.urlScope = urlScope
        let sessions = SessionCatalog(
            [up], defaultName: nil,
            factory: SessionFactory(logger: DispatcherFixture.logger) { _ in ScriptedTransport([]) },
            logger: DispatcherFixture.logger)
        return TaskDecoder(sessions: sessions, caller: .anonymous, maxDepth: 16)
    }

    /// Returns the member `request` of a task.
    private func request(_ record: TaskRecord) throws -> JSONObject {
        let text = String(decoding: record.specification.request, as: UTF8.self)
        #expect(!text.contains("s3cret"))
        return try #require(JSONObject(stored: record.specification.request))
    }

    @Test(
        "The parts of a request that clients see in another form are not shown, nor is its command",
        arguments: [
            (#""path":"a?k=s3cret""#, #""path":"[redacted]""#, "/[redacted]"),
            (#""path":"a","parameters":{"k":"s3cret"}"#, #""path":"a","parameters":{"k":"x"}"#, "/v1/a?[redacted]"),
            (#""path":"a","body":{"text":"s3cret"}"#, #""path":"a","body":{"text":"x"}"#, "/v1/a"),
            (#""path":"a","headers":{"X-A":"s3cret"}"#, #""path":"a","headers":{"X-A":"x"}"#, "/v1/a"),
            (#""path":"s3cret","headers":{"X-A":"s3cret"}"#, "", "/[redacted]"),
        ])
    func parts(document: String, shown: String, target: String) async throws {
        let record = try await record(
            #"{"session":"up",\#(document)}"#, shown: "{\(shown)}", decoder: try decoder())
        let request = try request(record)
        #expect(request["url"]?.string == "http://upstream.example\(target)")
        #expect(request["curl"]?.isNull == true)
        #expect(["[redacted]", nil].contains(request["headers"]?.object?["X-A"]?.string))
    }

    @Test("A document that differs only in fields that are hidden anyway, or in other members, hides nothing")
    func none() async throws {
        let record = try await record(
            #"{"session":"up","path":"a","labels":{"a":"b"},"headers":{"Authorization":"s3cret"}}"#,
            shown: #"{"path":"a","labels":{"a":"x"},"headers":{"Authorization":"x"}}"#, decoder: try decoder())
        let request = try request(record)
        #expect(request["curl"]?.string?.hasPrefix("curl ") == true)
    }

    @Test("A repetition hides what the task that it repeats hides, except what replaces it, and keeps the origin")
    func repetition() async throws {
        let decoder = try decoder(.any)
        let record = try await record(
            #"{"session":"up","path":"s3cret?k=s3cret","headers":{"X-A":"s3cret"}}"#, shown: "{}", decoder: decoder)
        for (overrides, url, field) in [
            ("{}", "http://upstream.example/[redacted]", "[redacted]"),
            (#"{"path":"b"}"#, "http://upstream.example/v1/b", "[redacted]"),
            (#"{"path":"b?x=1","headers":{"X-A":"1"}}"#, "http://upstream.example/v1/b?[redacted]", "1"),
        ] {
            let repeated = try await TaskRepeat(decoder: decoder)
                .accept(record, overrides: JSONDocument.parse(Array(overrides.utf8)))
                .record(id: .sample(2), at: DispatcherFixture.start)
            let request = try request(repeated)
            #expect(request["url"]?.string == url)
            #expect(request["headers"]?.object?["X-A"]?.string == field)
            #expect(request["curl"]?.isNull == true)
        }
        let elsewhere = try JSONDocument.parse(Array(#"{"path":"http://e.com/","headers":{}}"#.utf8))
        do throws(TaskRejection) {
            _ = try await TaskRepeat(decoder: decoder).accept(record, overrides: elsewhere)
            Issue.record("not refused")
        } catch {
            #expect(error.reason.hasPrefix("/path: "))
        }
    }

    @Test("Parameters stay hidden when repetitions make the content of them the query, or the query the content")
    func movedParameters() async throws {
        let decoder = try decoder()
        var record = try await record(
            #"{"session":"up","method":"POST","path":"a","parameters":{"k":"s3cret"}}"#,
            shown: #"{"path":"a","parameters":{"k":"x"}}"#, decoder: decoder)
        for (method, url) in [("GET", "/v1/a?[redacted]"), ("POST", "/v1/a"), ("GET", "/v1/a?[redacted]")] {
            record = try await TaskRepeat(decoder: decoder)
                .accept(record, overrides: JSONDocument.parse(Array(#"{"method":"\#(method)"}"#.utf8)))
                .record(id: .sample(2), at: DispatcherFixture.start)
            let request = try request(record)
            #expect(request["url"]?.string == "http://upstream.example\(url)")
            #expect(request["curl"]?.isNull == true)
        }
    }
}
