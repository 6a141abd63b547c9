import ErrandSettings
import ErrandSupport
import Testing

@testable import ErrandConfiguration

@Suite("Remedies of common mistakes")
struct RemedyTests {
    private static let statusExpected =
        "expected a status such as 204, a class such as 5xx or a range such as 200-299, from 100 to 999, found \"5XX\""

    private static let meantBaseURL = "unknown setting; did you mean base_url?"

    static let server: [ProblemRow] = [
        ProblemRow(
            "logging: {level: warn}",
            "1:18: logging.level: expected trace, debug, info, notice, warning, error or critical, "
                + "found \"warn\"; did you mean warning?"),
        ProblemRow(
            "logging: {format: JSON}",
            "1:19: logging.format: expected json or text, found \"JSON\"; did you mean json?"),
        ProblemRow(
            "server: {listen: 8080}",
            "1:18: server.listen: expected an address such as 127.0.0.1:8080, found \"8080\"; "
                + "did you mean 127.0.0.1:8080, or 0.0.0.0:8080 for all networks?"),
        ProblemRow(
            "server: {listen: ':8080'}",
            "1:18: server.listen: expected an address such as 127.0.0.1:8080, found \":8080\"; "
                + "did you mean 127.0.0.1:8080, or 0.0.0.0:8080 for all networks?"),
        ProblemRow(
            "server: {listen: localhost}",
            "1:18: server.listen: expected an address such as 127.0.0.1:8080, found \"localhost\"; "
                + "did you mean 127.0.0.1:8080?"),
        ProblemRow(
            "server: {listen: 'http://127.0.0.1:80/'}",
            "1:18: server.listen: expected an address such as 127.0.0.1:8080, found \"http://127.0.0.1:80/\"; "
                + "did you mean 127.0.0.1:80?"),
        ProblemRow(
            "server: {listen: 'unix:/run/a.sock'}",
            "1:18: server.listen: expected an address such as 127.0.0.1:8080, found \"unix:/run/a.sock\"; "
                + "write a Unix socket as {unix: /run/errand.sock}, in ERRAND_LISTEN as unix:/run/errand.sock"),
        ProblemRow(
            "server: {listen: [127.0.0.1:8080, 'localhost:8080']}",
            "1:35: server.listen[1]: the system would refuse localhost:8080 besides 127.0.0.1:8080: "
                + "remove one of them"),
        ProblemRow(
            "server: {listen: [127.0.0.1:80, 127.0.0.1:80, 'localhost:80', '${A:-localhost}:80']}",
            "1:33: server.listen[1]: the system would refuse 127.0.0.1:80 besides 127.0.0.1:80: remove one of them",
            "1:47: server.listen[2]: the system would refuse localhost:80 besides 127.0.0.1:80: remove one of them",
            "1:63: server.listen[3]: the system would refuse 127.0.0.1:80 besides 127.0.0.1:80: remove one of them"),
        ProblemRow(
            "{server: {listen: ['0.0.0.0:80', '127.0.0.1:80']}, auth: {allow_anonymous: true}}",
            "1:34: server.listen[1]: the system would refuse 127.0.0.1:80 besides 0.0.0.0:80: remove one of them"),
        ProblemRow(
            "server: {listen: [{unix: /run/a.sock}, {unix: /run/./a.sock}]}",
            "1:40: server.listen[1]: the system would refuse unix:/run/./a.sock besides unix:/run/a.sock: "
                + "remove one of them"),
        ProblemRow(
            "auth: {tokens: [{name: a, token: \"0123456789abcdef\\n\"}]}",
            "1:34: auth.tokens[0].token: the token has a line break, which clients cannot send; remove it"),
        ProblemRow(
            "auth: {tokens: [{name: a, token: \" 0123456789abcdef\"}]}",
            "1:34: auth.tokens[0].token: the token has a blank at its start or end, which clients cannot send; "
                + "remove it"),
        ProblemRow(
            "files: {downloads: data}",
            "1:20: files.downloads: tasks could replace data/errand.db, which belongs to the gateway; "
                + "expected a directory of its own, such as data/downloads"),
        ProblemRow(
            "files: {data: /var/a, uploads: /var/a/bodies/x}",
            "1:32: files.uploads: tasks could send /var/a/bodies, which belongs to the gateway; "
                + "expected a directory of its own, such as /var/a/uploads"),
        ProblemRow(
            "server: {max_json: 1MB}",
            "1:20: server.max_json: expected a size such as 64MiB, found \"1MB\"; did you mean 1MiB?"),
        ProblemRow(
            "server: {max_wait: 30 sec}",
            "1:20: server.max_wait: expected a duration such as 30s, found \"30 sec\"; did you mean 30s?"),
        ProblemRow(
            "auth: {protect_operations: yes}",
            "1:28: auth.protect_operations: expected true or false, found \"yes\"; did you mean true?"),
        ProblemRow(
            "server:\n\tlisten: 127.0.0.1:80",
            "2:1: found a tab; indent with spaces, while scanning for the next token"),
    ]

    static let sessions: [ProblemRow] = [
        .session(
            "limits: {rate: 10/sec}",
            "4:20: sessions.a.limits.rate: expected a rate above 0 such as 100/s, found \"10/sec\"; "
                + "did you mean 10/s?"),
        .session(
            "limits: {rate: 10}",
            "4:20: sessions.a.limits.rate: expected a rate above 0 such as 100/s, found \"10\"; "
                + "did you mean 10/s, 10/m or 10/h?"),
        .session(
            "limits: {bytes_per_second: 1MB/s}",
            "4:32: sessions.a.limits.bytes_per_second: expected a rate such as 1KiB/s, found \"1MB/s\"; "
                + "did you mean 1MiB/s?"),
        .session("retry: 5", "4:12: sessions.a.retry: expected a mapping, found text; did you mean {max_attempts: 5}?"),
        .session(
            "timeouts: 30s", "4:15: sessions.a.timeouts: expected a mapping, found text; did you mean {total: 30s}?"),
        .session("limits: 4", "4:13: sessions.a.limits: expected a mapping, found text; did you mean {concurrent: 4}?"),
        .session(
            "redirects: refuse",
            "4:16: sessions.a.redirects: expected a mapping, found text; did you mean {mode: refuse}?"),
        .session(
            "retry: {statuses: [5XX]}", "4:24: sessions.a.retry.statuses[0]: \(statusExpected); did you mean 5xx?"),
        .session(
            "cookies: false",
            "4:14: sessions.a.cookies: expected off, ephemeral or persistent, found \"false\"; did you mean off?"),
        .session(
            "security: {pins: [sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=]}",
            "4:23: sessions.a.security.pins[0]: expected a pin, or the path of a file; "
                + "write the hash of a key as sha256//, with two slashes, and 32 bytes in Base64"),
        .session(
            "security: {pins: [AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=]}",
            "4:23: sessions.a.security.pins[0]: expected a pin, or the path of a file; "
                + "write the hash of a key as sha256//, with two slashes, and 32 bytes in Base64"),
        .session(
            "security: {pins: [certs/up.pem]}",
            "4:23: sessions.a.security.pins[0]: cannot read the file: No such file or directory; "
                + "check the path, which begins at the working directory"),
        .session(
            "security: {ca_file: certs/root.pem}",
            "4:25: sessions.a.security.ca_file: cannot read the file: No such file or directory; "
                + "check the path, which begins at the working directory"),
        .session(
            "security: {ca_file: /certs/root.pem}",
            "4:25: sessions.a.security.ca_file: cannot read the file: No such file or directory; check the path"),
        .session("timeout: {total: 30s}", "4:5: sessions.a.timeout: unknown setting; did you mean timeouts?"),
        .session(
            "headers: {X-Key: '${KEY}'}",
            "4:22: sessions.a.headers.X-Key: the environment variable KEY is not set; set it, or write ${KEY:-default}"
        ),
        ProblemRow(
            "sessions: {a: {base_url: http://a/, credentials: {bearer: {token: ${TOKEN}}}}}",
            "1:68: found ${ in braces or brackets; put the value into quotes, as in \"${NAME}\", "
                + "while parsing a flow mapping that begins at 1:59"),
        ProblemRow("sessions: {a: {baseURL: 'http://a/'}}", "1:16: sessions.a.baseURL: \(meantBaseURL)"),
        ProblemRow(
            "sessions:\n  a:\n    base-url: http://a/\n    credentials: {bearer: {token: t}}",
            "3:5: sessions.a.base-url: \(meantBaseURL)"),
        .session(
            "credentials: {bearer: abc}",
            "4:27: sessions.a.credentials.bearer: expected a mapping, found text; did you mean {token: …}?"),
        .session(
            "credentials: {api_key: abc}", "4:28: sessions.a.credentials.api_key: expected a mapping, found text"),
        .session(
            "credentials: {bearer: {tokn: abc}}",
            "4:28: sessions.a.credentials.bearer.tokn: unknown setting; did you mean token?"),
        ProblemRow(
            "sessions: {a: {base_url: 'https://api.example.com/v1?key=SECRET'}}",
            "1:26: sessions.a.base_url: expected a URL without a query: the path of a task replaces it; write it in "
                + "the path or the parameters of each task, and a key in credentials, as "
                + "{api_key: {query: …, value: …}}"),
        ProblemRow(
            "sessions: {a: {base_url: 'https://api.example.com/v1#top'}}",
            "1:26: sessions.a.base_url: expected a URL without a fragment, which is never sent; "
                + "remove # and what follows"),
        ProblemRow(
            "sessions: {a: {base_url: 'https://user:SECRET@api.example.com/'}}",
            "1:26: sessions.a.base_url: expected an absolute http or https URL: "
                + "The URL contains user information; configure credentials instead"),
        ProblemRow(
            "sessions: {a: {base_url: api.example.com/v1}}",
            "1:26: sessions.a.base_url: expected an absolute http or https URL: "
                + "The URL is relative, and there is no base URL; begin it with https://"),
        ProblemRow(
            "sessions: {GitHub API: {base_url: 'http://a'}}",
            "1:12: sessions.\"GitHub API\": expected a name: a lower-case letter, "
                + "then up to 63 lower-case letters, digits, _ and -; did you mean github_api?"),
    ]

    @Test("The message of a common mistake names the remedy", arguments: server + sessions)
    func messages(row: ProblemRow) {
        row.check()
    }

    static let paths: [(yaml: String, folder: String, problems: [String])] = [
        (
            "{store: {sqlite: {path: data/errand.db}}, files: {uploads: /var/lib/errand}}", "/var/lib/errand",
            ["1:60: files.uploads: \(sendable("data/errand.db")), such as data/uploads"]
        ),
        (
            "{store: {sqlite: {path: /var/lib/errand/errand.db}}, files: {uploads: .}}", "/var/lib/errand",
            ["1:71: files.uploads: \(sendable("/var/lib/errand/errand.db")), such as data/uploads"]
        ),
        (
            "{store: {sqlite: {path: /db/errand.db}}, files: {data: ../data, uploads: /var/data/bodies/x}}", "/var/lib",
            ["1:74: files.uploads: \(sendable("../data/bodies")), such as ../data/uploads"]
        ),
        (
            "{store: {sqlite: {path: db/errand.db}}, files: {downloads: /srv/db}}", "/srv",
            [
                "1:60: files.downloads: tasks could replace db/errand.db, which belongs to the gateway; "
                    + "expected a directory of its own, such as data/downloads"
            ]
        ),
        ("{store: {sqlite: {path: data/errand.db}}, files: {uploads: /var/lib/other}}", "/var/lib/errand", []),
        (
            "server: {listen: [{unix: /run/e.sock}, {unix: e.sock}]}", "/run",
            ["1:40: server.listen[1]: the system would refuse unix:e.sock besides unix:/run/e.sock: remove one of them"]
        ),
        ("server: {listen: [{unix: /run/e.sock}, {unix: e.sock}]}", "/srv", []),
    ]

    private static func sendable(_ path: String) -> String {
        "tasks could send \(path), which belongs to the gateway; expected a directory of its own"
    }

    @Test("A relative path is compared with an absolute one from the working directory", arguments: paths)
    func workingDirectory(yaml: String, folder: String, problems: [String]) {
        #expect(Sample.problems(yaml, workingDirectory: folder) == problems.map { "config.yaml:\($0)" })
    }

    @Test("A remedy repeats no text that may be a secret in the wrong place")
    func secrets() {
        let secret = "sk1234567890abcdef"
        for yaml in [
            "sessions: {a: {url_scope: any, retry: \(secret)}}", "sessions: {a: {base_url: \(secret)}}",
            "sessions: {a: {url_scope: any, security: {ca_file: \(secret)}}}",
        ] {
            let problems = Sample.problems(yaml)
            #expect(!problems.isEmpty)
            #expect(!problems.joined().contains(secret), "\(problems)")
        }
        let environment = ["RATE": "10/sec", "RETRY": "5"]
        for yaml in [
            "sessions: {a: {url_scope: any, limits: {rate: '${RATE}'}}}",
            "sessions: {a: {url_scope: any, retry: '${RETRY}'}}",
        ] {
            let problems = Sample.problems(yaml, environment: environment)
            #expect(problems.count == 1)
            #expect(environment.values.allSatisfy { !problems.joined().contains("\($0)?") }, "\(problems)")
        }
    }

    @Test("An address without a port has the remedy of the default port, and a name has none")
    func addresses() {
        #expect(Remedy.listeningAddress("0.0.0.0") == "did you mean 0.0.0.0:8080?")
        #expect(Remedy.listeningAddress("example.com") == nil)
    }
}
