import ErrandSupport
import HTTPSession
import HTTPSessionYAML
import Testing

@Suite("Errors of a file of sessions")
struct SessionFileErrorTests {
    static let mistakes: [ProblemRow] = [
        ProblemRow("server: {listen: 8080}", "1:1: server: unknown setting"),
        ProblemRow("session: {}", "1:1: session: unknown setting; did you mean sessions?"),
        ProblemRow("sessions: [a]", "1:11: sessions: expected a mapping, found a list"),
        ProblemRow(
            "sessions: {Git Hub: {url_scope: any}}",
            "1:12: sessions.\"Git Hub\": expected a name: a lower-case letter, then up to 63 lower-case letters, "
                + "digits, _ and -; did you mean git_hub?"),
        ProblemRow(
            "sessions:\n\ta: {}", "2:1: found a tab; indent with spaces, while scanning for the next token"),
        ProblemRow(
            "session_defaults: {timeouts: {idle: 30 sec}}",
            "1:37: session_defaults.timeouts.idle: expected a duration such as 30s, found \"30 sec\"; "
                + "did you mean 30s?"),
        .session("timeout: {total: 30s}", "4:5: sessions.a.timeout: unknown setting; did you mean timeouts?"),
        .session(
            "timeouts: 30s", "4:15: sessions.a.timeouts: expected a mapping, found text; did you mean {total: 30s}?"),
        .session(
            "cookies: false",
            "4:14: sessions.a.cookies: expected off, ephemeral or persistent, found \"false\"; did you mean off?"),
        .session(
            "security: {ca_file: certs/root.pem}",
            "4:25: sessions.a.security.ca_file: cannot read the file: No such file or directory; "
                + "check the path, which begins at the working directory"),
        .session(
            "headers: {X-Key: '${KEY}'}",
            "4:22: sessions.a.headers.X-Key: the environment variable KEY is not set; set it, or write ${KEY:-default}"
        ),
        .session(
            "headers: {Host: a}\n    redirects: {mode: folow, limit: 101}",
            "4:15: sessions.a.headers.Host: Host is set from the URL",
            "5:23: sessions.a.redirects.mode: expected follow, same_origin or refuse, found \"folow\"; "
                + "did you mean follow?",
            "5:37: sessions.a.redirects.limit: expected a whole number from 0 to 100, found \"101\""),
        ProblemRow(
            "sessions: {a: {credentials: {bearer: {token: t}}}}",
            "1:15: sessions.a.url_scope: expected any, because there is no base_url",
            "1:29: sessions.a.credentials: credentials require base_url, because they are sent to that origin only"),
    ]

    @Test("All problems are told with file, line, column, path and remedy", arguments: mistakes)
    func problems(row: ProblemRow) {
        row.check()
    }

    @Test("A problem has its parts, and the error has a line for each problem")
    func parts() throws {
        let error = try #require(
            SessionFile.error("sessions:\n  a: {url_scope: any, cookeis: 1}\n  b: {url_scope: al}\n"))
        let problem = try #require(error.problems.first)
        #expect(problem.file == "sessions.yaml")
        #expect((problem.line, problem.column) == (2, 23))
        #expect(problem.path == "sessions.a.cookeis")
        #expect(problem.message == "unknown setting; did you mean cookies?")
        #expect(
            error.description == """
                sessions.yaml:2:23: sessions.a.cookeis: unknown setting; did you mean cookies?
                sessions.yaml:3:18: sessions.b.url_scope: expected base, origin or any, found "al"
                """)
        #expect("\(error)" == error.description)
    }

    @Test("An unknown session is an error with the names that the file has")
    func unknown() throws {
        let file = try SessionFile.read("sessions: {github: {url_scope: any}, billing: {url_scope: any}}")
        let error = #expect(throws: SessionFileError.self) { try file.configuration(of: "githup") }
        #expect(
            error?.description == "sessions.yaml:1:1: sessions: there is no session \"githup\"; "
                + "the file has github, billing; did you mean github?")
        let none = #expect(throws: SessionFileError.self) { try SessionFile.read("").configuration(of: "a") }
        #expect(none?.description == "sessions.yaml:1:1: sessions: there is no session \"a\"; the file has none")
    }

    @Test("A file that cannot be read is an error with the reason")
    func unreadable() {
        let error = #expect(throws: SessionFileError.self) { try SessionFile(contentsOf: "/missing/a.yaml") }
        #expect(
            error?.description
                == "/missing/a.yaml:1:1: cannot read the file: No such file or directory; check the path")
    }

    @Test("No error shows a secret")
    func secrets() throws {
        let environment = ["TOKEN": "SECRET TOKEN", "WAIT": "SECRET", "KEY": "SECRET"]
        let error = try #require(
            SessionFile.error(
                """
                sessions:
                  a:
                    base_url: https://user:SECRET@a.example/
                    credentials: {bearer: {token: "${TOKEN}"}}
                    timeouts: {idle: "${WAIT}"}
                    cookies: "${KEY}"
                    connection: {proxy: 'http://user:SECRET@proxy'}
                    security: {client_certificate: {certificate: a.p12, password: SECRET}}
                """, environment: environment))
        #expect(error.problems.count == 6)
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("SECRET") && !error.description.contains("SECRET"), "\(error)")
    }
}
