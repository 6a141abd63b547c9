import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import HTTPTypes
import Testing

@Suite("Hostile requests")
struct HostileRequestTests {

    private static let pieces = [
        "GET", "post", "http://", "https://", "e.com", "//", "/", "\\", "..", ".", "%2e", "%2F", "%5c", "%", "?", "#",
        "@", ":", "8080", "[::1]", "a", "é", "\u{0}", "\r\n", "\n", "\t", " ", "Host", "X-A", "Content-Length",
        "Proxy-",
        "{", "}", "[", "]", "\"", ",", "1.10", "null", "\u{10FFFF}", "\u{FEFF}", "e\u{301}", "text/html",
    ]

    private static func text(_ generator: inout SplitMix64) -> String {
        let count = Int.random(in: 0...6, using: &generator)
        return (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
    }

    private static func request(_ generator: inout SplitMix64) -> TaskRequest {
        let bytes = Array(text(&generator).utf8)
        let bodies: [TaskBody?] = [nil, nil, .text(text(&generator)), .bytes(bytes), .json(bytes)]
        let headers = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            TaskHeader(text(&generator), Bool.random(using: &generator) ? text(&generator) : nil)
        }
        return TaskRequest(
            method: Int.random(in: 0...3, using: &generator) == 0 ? text(&generator) : nil, path: text(&generator),
            parameters: Int.random(in: 0...3, using: &generator) == 0 ? bytes : nil, headers: headers,
            body: bodies.randomElement(using: &generator) ?? nil)
    }

    @Test("are rejected with their problems or follow the rules, and never trap", arguments: URLScope.allCases)
    func neverTrap(scope: URLScope) throws {
        var generator = SplitMix64(seed: 42)
        let base = try HTTPURL("http://e.com/v1/")
        var configuration = SessionConfiguration(name: "example", baseURL: base)
        configuration.urlScope = scope
        let session = Session(configuration, transport: UnusedTransport())
        var prepared = 0
        let rounds = TestBuild.rounds(5000)
        for _ in 0..<rounds {
            let request = Self.request(&generator)
            do throws(RequestProblems) {
                let made = try session.prepare(request)
                prepared += 1
                #expect(scope != .base || made.transfer.url.isBelow(base))
                #expect(scope != .origin || made.transfer.url.isSameOrigin(as: base))
                #expect(configuration.allowedMethods.contains(made.method))
                for field in made.transfer.headers {
                    #expect(RequestHeaderRules.reasonToRefuse(field.name) == nil)
                    #expect(RequestHeaderRules.reasonToRefuse(value: field.value) == nil)
                }
                #expect(made.curlCommand.hasPrefix("curl "))
            } catch {
                #expect(!error.problems.isEmpty)
                #expect(error.problems.allSatisfy { !$0.pointer.isEmpty && !$0.detail.isEmpty })
            }
        }
        // Enough of each kind for a meaningful test.
        #expect((rounds / 25..<rounds * 24 / 25).contains(prepared))
    }
}
