import Testing

@testable import ErrandConfiguration

@Suite("Environment variables that take precedence over the file")
struct EnvironmentOverrideTests {
    private static let token = "0123456789abcdef"

    @Test("ERRAND_LISTEN replaces the addresses", arguments: ["", "server:", "server: {listen: '127.0.0.1:1'}"])
    func listen(yaml: String) throws {
        let configuration = try Sample.read(yaml, environment: ["ERRAND_LISTEN": "127.0.0.1:5, [::1]:6"])
        #expect(configuration.server.listen.map(\.description) == ["127.0.0.1:5", "[::1]:6"])
    }

    @Test("ERRAND_LISTEN names Unix sockets too, and its items may be on lines of their own")
    func sockets() throws {
        let configuration = try Sample.read("", environment: ["ERRAND_LISTEN": "127.0.0.1:5, unix:/run/e.sock"])
        let socket = SocketAddress.unix(UnixSocketAddress(path: "/run/e.sock"))
        #expect(configuration.server.listen.map(\.description) == ["127.0.0.1:5", "unix:/run/e.sock"])
        #expect(configuration.server.listen.last == socket)
        let lines = try Sample.read("", environment: ["ERRAND_LISTEN": "unix:/run/e.sock\n[::1]:6\t127.0.0.1:5\r\n"])
        #expect(lines.server.listen.map(\.description) == ["unix:/run/e.sock", "[::1]:6", "127.0.0.1:5"])
    }

    @Test(
        "ERRAND_TOKEN adds a token with the name env",
        arguments: [
            ("", ["env"]), ("auth: {tokens: }", ["env"]), ("auth: {tokens: []}", ["env"]),
            ("auth: {tokens: [{name: a, token: fedcba9876543210}]}", ["a", "env"]),
        ])
    func token(yaml: String, names: [String]) throws {
        let configuration = try Sample.read(yaml, environment: ["ERRAND_TOKEN": Self.token])
        #expect(configuration.auth.tokens.map(\.name) == names)
        #expect(configuration.auth.tokens.last?.credential == .text(Self.token))
    }

    @Test("ERRAND_TOKEN_FILE adds the token in a file, without its final line feed")
    func tokenFile() throws {
        let configuration = try Sample.read(
            "", environment: ["ERRAND_TOKEN_FILE": "/run/secrets/t", "ERRAND_LISTEN": "0.0.0.0:8080"],
            files: ["/run/secrets/t": Self.token + "\n"])
        #expect(configuration.auth.tokens.map(\.credential) == [.text(Self.token)])
    }

    @Test("ERRAND_DATA moves the database and all files below one folder", arguments: ["/data", "/data/"])
    func data(folder: String) throws {
        let yaml = "files: {data: a, uploads: b}"
        let configuration = try Sample.read(yaml, environment: ["ERRAND_DATA": folder])
        #expect(configuration.store.sqlite.path == "/data/errand.db")
        #expect(configuration.files.dataDirectory == "/data")
        #expect(configuration.files.uploads == "/data/uploads")
    }

    @Test("With a token from the environment the gateway may listen on any address")
    func tokenAndListen() throws {
        let environment = ["ERRAND_LISTEN": "0.0.0.0:8080", "ERRAND_TOKEN": Self.token]
        #expect(try Sample.read("", environment: environment).server.listen.map(\.description) == ["0.0.0.0:8080"])
    }

    @Test("ERRAND_LOG_LEVEL replaces the level")
    func level() throws {
        let environment = ["ERRAND_LOG_LEVEL": "debug"]
        #expect(try Sample.read("logging: {level: error}", environment: environment).logging.level == .debug)
    }

    @Test("An empty variable counts as unset")
    func empty() throws {
        let environment = ["ERRAND_LISTEN": "", "ERRAND_TOKEN": "", "ERRAND_LOG_LEVEL": ""]
        let configuration = try Sample.read("logging: {level: error}", environment: environment)
        #expect(configuration.logging.level == .error)
        #expect(configuration.auth.tokens == [])
        #expect(configuration.server.listen == GatewayServerConfiguration().listen)
    }

    @Test("The text of a variable is not interpolated")
    func literal() throws {
        let token = "${NAME}$$0123456789"
        let configuration = try Sample.read("", environment: ["ERRAND_TOKEN": token])
        #expect(configuration.auth.tokens.first?.credential == .text(token))
    }

    static let bad: [(String, [String: String], [String])] = [
        (
            "", ["ERRAND_LISTEN": "8080"],
            [
                "ERRAND_LISTEN: server.listen[0]: expected an address such as 127.0.0.1:8080, found \"8080\"; "
                    + "did you mean 127.0.0.1:8080, or 0.0.0.0:8080 for all networks?"
            ]
        ),
        (
            "", ["ERRAND_LISTEN": "127.0.0.1:5,unix:"],
            ["ERRAND_LISTEN: server.listen[1].unix: expected path of a socket, found \"\""]
        ),
        (
            "", ["ERRAND_LISTEN": "/run/e.sock"],
            [
                "ERRAND_LISTEN: server.listen[0]: expected an address such as 127.0.0.1:8080, found \"/run/e.sock\"; "
                    + "write a Unix socket as {unix: /run/errand.sock}, in ERRAND_LISTEN as unix:/run/errand.sock"
            ]
        ),
        (
            "", ["ERRAND_LISTEN": "0.0.0.0:80"],
            [
                "ERRAND_LISTEN: server.listen: without auth.tokens only loopback addresses and Unix sockets are allowed, found "
                    + "0.0.0.0:80; add a token, or set auth.allow_anonymous"
            ]
        ),
        (
            "", ["ERRAND_TOKEN_FILE": "/missing", "ERRAND_LISTEN": "0.0.0.0:80"],
            ["ERRAND_TOKEN_FILE: auth.tokens: cannot read the file /missing: No such file or directory"]
        ),
        (
            "", ["ERRAND_TOKEN_FILE": "/missing", "ERRAND_TOKEN": "0123456789abcdef"],
            ["ERRAND_TOKEN_FILE: auth.tokens: set ERRAND_TOKEN_FILE or ERRAND_TOKEN, not both"]
        ),
        ("", ["ERRAND_TOKEN": "short-secret"], ["ERRAND_TOKEN: auth.tokens[0].token: expected at least 16 characters"]),
        (
            "auth: {tokens: [{name: env, token: 0123456789abcdef}]}", ["ERRAND_TOKEN": "0123456789abcdef"],
            [
                "ERRAND_TOKEN: auth.tokens[1].name: duplicate value: an earlier item has the same"
            ]
        ),
        (
            "auth: {tokens: 5}", ["ERRAND_TOKEN": "0123456789abcdef"],
            [
                "config.yaml:1:16: auth.tokens: expected a list, found text"
            ]
        ),
        ("logging: 5", ["ERRAND_LOG_LEVEL": "info"], ["config.yaml:1:10: logging: expected a mapping, found text"]),
        (
            "logging: {format: x}", ["ERRAND_LOG_LEVEL": "loud"],
            [
                "ERRAND_LOG_LEVEL: logging.level: expected trace, debug, info, notice, warning, error or critical, found "
                    + "\"loud\"",
                "config.yaml:1:19: logging.format: expected json or text, found \"x\"",
            ]
        ),
    ]

    @Test("An invalid variable is reported by name", arguments: bad)
    func problems(yaml: String, environment: [String: String], expected: [String]) {
        #expect(Sample.problems(yaml, environment: environment) == expected)
    }
}
