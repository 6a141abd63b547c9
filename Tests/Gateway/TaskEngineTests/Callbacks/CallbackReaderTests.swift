import ErrandConfiguration
import ErrandJSON
import ErrandRequestSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import ErrandWebhookSigning
import HTTPTypes
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("CallbackReader")
struct CallbackReaderTests {
    private func sessions(signs: Bool = true) throws -> SessionCatalog {
        var configuration = CallbackConfiguration()
        if signs { configuration.secrets = [try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")] }
        let up = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://upstream.example/v1/"))
        var reader = SessionConfiguration(name: "reader", baseURL: try HTTPURL("http://reader.example/"))
        reader.allowedMethods = [.get]
        var coder = SessionConfiguration(name: "coder", baseURL: try HTTPURL("http://coder.example/"))
        coder.request.compression.coding = .gzip
        let logger = DispatcherFixture.logger
        let transport = ScriptedTransport([])
        return SessionCatalog(
            [up, reader, coder, .callbacks(inheriting: SessionConfiguration(name: ""))], defaultName: nil,
            callbacks: CallbackSigning(configuration),
            factory: SessionFactory(logger: logger) { _ in transport }, logger: logger)
    }

    private func read(
        _ callback: String, for caller: Caller = .anonymous, signs: Bool = true
    ) throws -> (specification: CallbackSpecification?, faults: [String: String]) {
        let document = try JSONDocument.parse(Array(#"{"callback":\#(callback)}"#.utf8))
        let problems = JSONProblems()
        var task = try #require(JSONObjectReader(document.root, reporting: problems))
        let read = try CallbackReader.read(&task, sessions: sessions(signs: signs), caller: caller)
        let faults = problems.problems.map { ($0.pointer.description, $0.detail) }
        return (read, Dictionary(faults) { first, _ in first })
    }

    @Test("An absolute URL is sent by the built-in session, for all terminal states")
    func absolute() throws {
        let (specification, faults) = try read(#"{"url":"https://example.com/hook?k=v"}"#)
        #expect(faults.isEmpty)
        #expect(specification == CallbackSpecification(url: "https://example.com/hook?k=v"))
        #expect(specification?.states == [.succeeded, .failed, .canceled])
    }

    @Test("With a session the URL may be relative; the stored specification is read back unchanged")
    func relative() throws {
        let (specification, faults) = try read(#"{"url":"hook","session":"up","states":["failed"]}"#)
        #expect(faults.isEmpty)
        #expect(specification == CallbackSpecification(url: "hook", session: "up", states: [.failed]))
        let stored = try #require(specification?.document)
        #expect(String(decoding: stored, as: UTF8.self) == #"{"url":"hook","session":"up","states":["failed"]}"#)
        #expect(CallbackSpecification(document: stored) == specification)
        #expect(CallbackSpecification(document: Array("{".utf8)) == nil)
    }

    @Test("The session may compress its requests, as messages are never compressed")
    func compressing() throws {
        let (specification, faults) = try read(#"{"url":"hook","session":"coder"}"#)
        #expect(faults.isEmpty)
        #expect(specification == CallbackSpecification(url: "hook", session: "coder"))
    }

    @Test("Without the member there is no callback")
    func none() throws {
        let (specification, faults) = try read("null")
        #expect(specification == nil)
        #expect(faults.isEmpty)
    }

    @Test(
        "An error is reported with its place",
        arguments: [
            (#"{}"#, "/callback/url"),
            (#"{"url":7}"#, "/callback/url"),
            (#"{"url":"hook"}"#, "/callback/url"),
            (#"{"url":"ftp://example.com/"}"#, "/callback/url"),
            (#"{"url":"https://user:password@example.com/"}"#, "/callback/url"),
            (#"{"url":"https://other.example/","session":"up"}"#, "/callback/url"),
            (#"{"url":"hook","session":"unknown"}"#, "/callback/session"),
            (#"{"url":"hook","session":7}"#, "/callback/session"),
            (#"{"url":"hook","session":"reader"}"#, "/callback/session"),
            (#"{"url":"https://example.com/","states":[]}"#, "/callback/states"),
            (#"{"url":"https://example.com/","states":["done"]}"#, "/callback/states/0"),
            (#"{"url":"https://example.com/","secret":"x"}"#, "/callback/secret"),
        ])
    func faults(_ callback: String, _ pointer: String) throws {
        #expect(try read(callback).faults.keys.sorted() == [pointer])
    }

    @Test("A session that the caller must not use is forbidden, existing or not")
    func forbidden() throws {
        let caller = Caller(tokenName: "ci", scopes: [.tasksWrite], sessions: ["up"])
        for name in ["reader", "unknown", "callbacks"] {
            #expect { try read(#"{"url":"hook","session":"\#(name)"}"#, for: caller) } throws: { error in
                if case TaskRejection.forbidden(name) = error { true } else { false }
            }
        }
        #expect(try read(#"{"url":"https://example.com/"}"#, for: caller).faults.isEmpty)
    }

    @Test("Without a secret a callback is refused, as its receiver could not verify it")
    func unsigned() throws {
        #expect(try read(#"{"url":"https://example.com/"}"#, signs: false).faults.keys.sorted() == ["/callback"])
    }
}
