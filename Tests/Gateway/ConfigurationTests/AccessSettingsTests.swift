import ErrandSettings
import ErrandSupport
import Testing

@testable import ErrandConfiguration

@Suite("Tokens in the configuration")
struct AccessSettingsTests {
    /// Returns the only token, declared with the given members.
    private static func token(_ members: String) throws -> AuthConfiguration.Token {
        let yaml = """
            auth: {tokens: [{name: a, token: 0123456789abcdef\(members)}]}
            sessions: {one: {base_url: 'http://a/'}, two: {base_url: 'http://b/'}}
            """
        return try #require(try Sample.read(yaml).auth.tokens.first)
    }

    @Test("By default a token may read and write tasks of all sessions at any rate, but not administer")
    func defaults() throws {
        let token = try Self.token("")
        #expect(token.scopes == [.tasksRead, .tasksWrite])
        #expect(token.sessions == nil)
        #expect(token.rate == nil)
    }

    @Test("A token has its scopes, sessions and rate")
    func values() throws {
        let token = try Self.token(", scopes: ['tasks:read', admin], sessions: [two, one], rate: 600/m")
        #expect(token.scopes == [.tasksRead, .admin])
        #expect(token.sessions == ["two", "one"])
        #expect(token.rate?.count == 600)
        #expect(token.rate?.per == .seconds(60))
    }

    @Test("The token of ERRAND_TOKEN may administer")
    func environment() throws {
        let configuration = try Sample.read("", environment: ["ERRAND_TOKEN": "0123456789abcdef"])
        #expect(configuration.auth.tokens.map(\.scopes) == [[.admin]])
    }

    @Test("The printed settings are the same, without the token")
    func printing() throws {
        let yaml = """
            auth: {tokens: [{name: a, token: SECRET-0123456789, scopes: [admin, 'tasks:read'], sessions: [one], rate: 5/h}]}
            sessions: {one: {base_url: 'http://a/'}}
            """
        let printed = ConfigurationPrinter.yaml(try Sample.read(yaml))
        #expect(printed.contains("rate: 5/h\n"))
        #expect(!printed.contains("SECRET"))
        let again = try Sample.read(printed.split(separator: "[redacted]").joined(separator: "redacted-redacted"))
        #expect(again.auth.tokens.map(\.scopes) == [[.tasksRead, .admin]])
        #expect(again.auth.tokens.map(\.sessions) == [["one"]])
        #expect(again.auth.tokens.map(\.rate) == [Rate("5/h")])
    }

    @Test(
        "A rate is a number above 0 per second, minute or hour",
        arguments: [
            ("1/s", 1, .seconds(1)), ("100/s", 100, .seconds(1)), ("007/m", 7, .seconds(60)),
            ("1000000000/h", 1_000_000_000, .seconds(3600)),
        ] as [(String, Int, Duration)])
    func rate(text: String, count: Int, per: Duration) throws {
        let rate = try #require(Rate(text))
        #expect((rate.count, rate.per) == (count, per))
        #expect(Rate(rate.description) == rate)
    }

    @Test(
        "Other texts are not rates",
        arguments: [
            "", "0/s", "000/s", "/s", "5", "5/", "5/d", "5/S", "5 /s", "5/ s", "-5/s", "+5/s", "1.5/s", "5/s/s", "5/ms",
            "1000000001/s", "99999999999999999999/s", "٥/s", "5KiB/s",
        ])
    func badRate(text: String) {
        #expect(Rate(text) == nil)
    }

    private static func row(_ members: String, _ problems: String...) -> ProblemRow {
        var row = ProblemRow("auth:\n  tokens:\n    - {name: a, token: 0123456789abcdef, \(members)}\n")
        row.problems = problems
        return row
    }

    static let wrong: [ProblemRow] = [
        row("scopes: []", "3:50: auth.tokens[0].scopes: expected at least one item, found an empty list"),
        row("scopes: admin", "3:50: auth.tokens[0].scopes: expected a list, found text"),
        row(
            "scopes: [task:read]",
            "3:51: auth.tokens[0].scopes[0]: expected tasks:read, tasks:write or admin, found \"task:read\"; did you mean tasks:read?"
        ),
        row("sessions: []", "3:52: auth.tokens[0].sessions: expected at least one item, found an empty list"),
        row(
            "sessions: [b, c]", "3:53: auth.tokens[0].sessions[0]: there is no session with this name",
            "3:56: auth.tokens[0].sessions[1]: there is no session with this name"),
        row(
            """
            scopes: [admin]}
                - {name: b, token: fedcba9876543210}
                - {name: c, sha256: 9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f
            """, "5:7: auth.tokens[2]: duplicate token: a has the same value"),
        row("rate: 0/s", "3:48: auth.tokens[0].rate: expected a rate above 0 such as 100/s, found \"0/s\""),
        row(
            "rate: 5",
            "3:48: auth.tokens[0].rate: expected a rate above 0 such as 100/s, found \"5\"; "
                + "did you mean 5/s, 5/m or 5/h?"),
    ]

    @Test("Each problem is reported with its location and setting", arguments: wrong)
    func problems(row: ProblemRow) {
        row.check()
    }
}
