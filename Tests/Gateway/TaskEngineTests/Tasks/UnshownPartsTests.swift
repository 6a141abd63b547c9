import ErrandAuthentication
import ErrandJSON
import ErrandSessionCore
import ErrandSupport
import ErrandTaskStore
import ErrandTransfer
import Testing

@testable import ErrandGatewaySupport
@testable import ErrandTaskEngine

@Suite("UnshownParts")
struct UnshownPartsTests {
    /// More than the command of a task shows.
    private static let long = String(repeating: "a", count: 1025)

    /// Returns a decoder with the session `up`, which has a key in the query, and `twin`, which has none.
    private func decoder() throws -> TaskDecoder {
        var up = SessionConfiguration(name: "up", baseURL: try HTTPURL("http://upstream.example/v1/"))
        up.urlScope = .any
        up.credentials = .apiKey(APIKey(place: .query("key"), value: "of-the-session"))
        var twin = up
        twin.name = "twin"
        twin.credentials = nil
        let sessions = SessionCatalog(
            [up, twin], defaultName: nil,
            factory: SessionFactory(logger: DispatcherFixture.logger) { _ in ScriptedTransport([]) },
            logger: DispatcherFixture.logger)
        return TaskDecoder(sessions: sessions, caller: .anonymous, maxDepth: 16)
    }

    /// The members of a task, those that replace them, and the place of the refusal; `nil` for none.
    private static let rows: [(task: String, overrides: String, place: String?)] = [
        // The key of the session in a path, and the brackets of an address, which hide nothing.
        (#""path":"http://other.example/of-the-session/x""#, #""session":"twin""#, "/path"),
        (#""path":"http://other.example/of-the-session/x""#, #""session":"up""#, nil),
        (#""path":"http://[2001:db8::1]/x""#, #""session":"twin""#, nil),
        // Items of the path and of the parameters.
        (#""path":"http://other.example/?%6Bey=1#f""#, #""session":"twin""#, "/path"),
        (#""path":"http://other.example/?keys=1""#, #""session":"twin""#, nil),
        (#""path":"http://other.example/","parameters":{"key":1}"#, #""session":"twin""#, "/parameters"),
        (#""path":"http://other.example/","parameters":{"key":1}"#, #""path":"//evil.example/?key=2""#, "/parameters"),
        (#""path":"http://other.example/","parameters":{"b":1}"#, #""path":"//evil.example/?key=2""#, nil),
        // Content that is long, and no text.
        (#""method":"POST","path":"o'clock","body":{"text":"\#(long)"}"#, #""path":"//evil.example/""#, "/body"),
        (#""method":"POST","path":"o'clock","body":{"text":"\#(long)"}"#, #""method":"PUT""#, nil),
        (#""method":"POST","body":{"base64":"AAE="}"#, #""path":"//evil.example/""#, "/body"),
        (#""method":"POST","parameters":{"a":"\#(long)"}"#, #""method":"GET""#, "/parameters"),
        (#""method":"POST","parameters":{"a":"1"}"#, #""method":"GET""#, nil),
    ]

    @Test("A repetition is refused if it would send them to another origin, or show them", arguments: rows)
    func refusal(task: String, overrides: String, place: String?) async throws {
        let decoder = try decoder()
        let record = try await decoder.decode(Array(#"{"session":"up",\#(task)}"#.utf8))
            .record(id: .sample(1), at: DispatcherFixture.start)
        let changes = try JSONDocument.parse(Array("{\(overrides)}".utf8))
        var refused: String?
        do throws(TaskRejection) {
            _ = try await TaskRepeat(decoder: decoder).accept(record, overrides: changes)
        } catch {
            refused = error.reason
        }
        #expect(refused.map { String($0.prefix { $0 != ":" }) } == place, "\(refused ?? "accepted")")
    }
}
