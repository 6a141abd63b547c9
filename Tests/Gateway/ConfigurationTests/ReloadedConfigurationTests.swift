import ErrandSessionCore
import ErrandSettings
import ErrandYAML
import Testing

@testable import ErrandConfiguration

@Suite("Reloaded configurations")
struct ReloadedConfigurationTests {
    /// A configuration with settings of every section.
    private static let base = """
        server: {listen: "127.0.0.1:0", hosts: [a.example], max_wait: 60s}
        auth: {tokens: [{name: ci, token: "0123456789abcdef"}]}
        store: {sqlite: {path: data/a.db}}
        dispatcher: {max_running: 10}
        logging: {level: info, format: json}
        default_session: a
        session_defaults: {timeouts: {idle: 5s}}
        sessions:
          a: {base_url: "http://a/", headers: {X-Token: one}, credentials: {bearer: {token: first-secret}}}
          b: {base_url: "http://b/", limits: {concurrent: 3}}
        """

    private func reload(
        _ yaml: String, replacing former: String = base, environment: [String: String] = [:],
        files: [String: String] = [:]
    ) throws -> ReloadedConfiguration {
        let inForce = try Sample.read(former, environment: environment, files: ["/secret": "former-secret"])
        return try Sample.loader(environment: environment, files: files)
            .load(Array(yaml.utf8), file: "config.yaml", replacing: inForce)
    }

    @Test("The same text changes nothing")
    func same() throws {
        let reloaded = try reload(Self.base)
        #expect(reloaded.changed.isEmpty)
        #expect(reloaded.restartRequired.isEmpty)
    }

    @Test(
        "An empty text is refused, as it would remove everything; {} is not",
        arguments: ["", " \n# nothing\n", "---\n"])
    func empty(text: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try reload(text) }
        #expect(
            error?.problems.map { $0.text(file: "a.yaml") } == [
                "a.yaml:1:1: the file is empty, which would remove every session and token; "
                    + "write {} if that is intended"
            ])
        #expect(try reload("{}").changed.contains("sessions.a"))
    }

    @Test("The limit of attempts is lowered to the descriptors that the connections leave, and reported")
    func openFiles() throws {
        let limits = "server: {max_connections: 1856, max_connections_per_address: 64}\n"
        let inForce = try Sample.read(limits + "dispatcher: {max_running: 512}")
        var loader = Sample.loader()
        loader.openFiles = OpenFileBudget(limit: 4096)
        func reload(_ dispatcher: String) throws -> ReloadedConfiguration {
            try loader.load(Array((limits + dispatcher).utf8), file: "config.yaml", replacing: inForce)
        }
        let same = try reload("dispatcher: {max_running: 600}")
        #expect(same.configuration.dispatcher.maxRunning == 512)
        #expect(same.loweredLimits.count == 1 && same.changed == [])
        #expect(same.loweredLimits.first?.hasPrefix("lowered dispatcher.max_running from 600 to 512: ") == true)
        let lower = try reload("dispatcher: {max_running: 100}")
        #expect(lower.configuration.dispatcher.maxRunning == 100)
        #expect(lower.loweredLimits == [] && lower.changed == ["dispatcher.max_running"])
    }

    @Test("A changed limit of connections is no change of the limit for one address, whose default is larger")
    func connections() throws {
        let inForce = try Sample.read("server: {max_connections: 2000}")
        var loader = Sample.loader()
        loader.openFiles = OpenFileBudget(limit: 65_536)
        let reloaded = try loader.load(
            Array("server: {max_connections: 100}".utf8), file: "config.yaml", replacing: inForce)
        #expect(reloaded.restartRequired == ["server.max_connections"])
        #expect(reloaded.changed == [])
    }

    @Test("Another notation of the same values changes nothing")
    func sameMeaning() throws {
        let reloaded = try reload(Self.base.replacing("max_wait: 60s", with: "max_wait: 1m"))
        #expect(reloaded.changed.isEmpty)
    }

    @Test(
        "Changes are reported by path",
        arguments: [
            ("max_running: 10", "max_running: 11", ["dispatcher.max_running"]),
            ("level: info", "level: debug", ["logging.level"]),
            ("max_wait: 60s", "max_wait: 60s, stop_delay: 0s", ["server.stop_delay"]),
            ("default_session: a", "default_session: b", ["default_session"]),
            ("[a.example]", "[a.example, b.example]", ["server.hosts"]),
            ("concurrent: 3", "concurrent: 4", ["sessions.b.limits.concurrent"]),
            (
                "idle: 5s", "idle: 6s",
                ["sessions.a.timeouts.idle", "sessions.b.timeouts.idle", "sessions.callbacks.timeouts.idle"]
            ),
            ("\n  b: {", "\n  c: {", ["sessions.c", "sessions.b"]),
        ])
    func paths(former: String, new: String, paths: [String]) throws {
        let yaml = Self.base.replacing(former, with: new)
        let reloaded = try reload(yaml)
        #expect(reloaded.changed == paths)
        #expect(reloaded.restartRequired.isEmpty)
        let printed = ConfigurationPrinter.yaml(try Sample.read(yaml))
        #expect(ConfigurationPrinter.yaml(reloaded.configuration) == printed)
    }

    @Test(
        "Changed secrets are reported without their values",
        arguments: [
            ("0123456789abcdef", "fedcba9876543210", "auth.tokens"),
            ("X-Token: one", "X-Token: two", "sessions.a.headers"),
            ("first-secret", "other-secret", "sessions.a.credentials"),
        ])
    func secrets(former: String, new: String, path: String) throws {
        let reloaded = try reload(Self.base.replacing(former, with: new))
        #expect(reloaded.changed == [path])
    }

    @Test("A header whose value is moved out of the file is a change, even if it is the same value")
    func hiddenHeader() throws {
        let shown = Self.base.replacing("X-Token: one", with: "X-Partner: former-secret")
        let hidden = Self.base.replacing("X-Token: one", with: "X-Partner: \"${file:/secret}\"")
        let files = ["/secret": "former-secret"]
        let reloaded = try reload(hidden, replacing: shown, files: files)
        #expect(reloaded.changed == ["sessions.a.headers"])
        #expect(!ConfigurationPrinter.yaml(reloaded.configuration).contains("former-secret"))
        #expect(try reload(hidden, replacing: hidden, files: files).changed.isEmpty)
    }

    @Test("Changed contents of a file are a change, even if the text is the same")
    func fileContents() throws {
        let yaml = Self.base.replacing("first-secret", with: "\"${file:/secret}\"")
        #expect(try reload(yaml, replacing: yaml, files: ["/secret": "former-secret"]).changed.isEmpty)
        let reloaded = try reload(yaml, replacing: yaml, files: ["/secret": "rotated-secret"])
        #expect(reloaded.changed == ["sessions.a.credentials"])
    }

    @Test("A changed order of sessions is a change")
    func order() throws {
        let former = "sessions: {a: {base_url: 'http://a/'}, b: {base_url: 'http://b/'}}"
        let new = "sessions: {b: {base_url: 'http://b/'}, a: {base_url: 'http://a/'}}"
        let reloaded = try reload(new, replacing: former)
        #expect(reloaded.changed == ["sessions"])
        #expect(reloaded.configuration.ownSessions.map(\.name) == ["b", "a"])
    }

    @Test("Settings that need a restart are reported and keep their values; the others change")
    func restart() throws {
        let yaml = Self.base.replacing("127.0.0.1:0", with: "127.0.0.1:81").replacing("a.db", with: "b.db")
            .replacing("format: json", with: "format: text").replacing("level: info", with: "level: error")
        let reloaded = try reload(yaml)
        #expect(reloaded.restartRequired == ["server.listen", "store.sqlite.path", "logging.format"])
        #expect(reloaded.changed == ["logging.level"])
        let inForce = try Sample.read(Self.base)
        #expect(reloaded.configuration.server.listen == inForce.server.listen)
        #expect(reloaded.configuration.store == inForce.store)
        #expect(reloaded.configuration.logging.format == .json)
        #expect(reloaded.configuration.logging.level == .error)
    }

    @Test("New values that conflict with kept ones are refused, with their location")
    func togetherWithWhatStays() throws {
        let former = """
            server: {listen: "0.0.0.0:80"}
            auth: {tokens: [{name: ci, token: "0123456789abcdef"}]}
            """
        let error = #expect(throws: ConfigurationError.self) {
            try reload("server:\n  listen: 127.0.0.1:80", replacing: former)
        }
        #expect(error?.problems.map(\.path.description) == ["server.listen"])
        #expect(error?.description.hasPrefix("config.yaml:2:11: server.listen: without auth.tokens only") == true)
    }

    @Test("An invalid text is refused with all of its problems")
    func problems() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try reload("dispatcher: {max_running: 0}\nlogging: {level: loud}")
        }
        #expect(error?.problems.map(\.pointer) == ["/dispatcher/max_running", "/logging/level"])
    }

    @Test("The environment takes precedence over the file, as at the start")
    func environment() throws {
        let environment = ["ERRAND_LOG_LEVEL": "error", "ERRAND_TOKEN": "0123456789abcdef-env"]
        let reloaded = try reload(Self.base.replacing("level: info", with: "level: debug"), environment: environment)
        #expect(reloaded.changed.isEmpty)
        #expect(reloaded.configuration.logging.level == .error)
        #expect(reloaded.configuration.auth.tokens.map(\.name) == ["ci", "env"])
    }

    @Test("Settings that need a restart are never items of a list or below a choice, so that they can be kept")
    func restartSettingsCanBeKept() {
        var found: [String] = []
        visit(GatewayConfiguration.settings.shape, at: "", isKeepable: true) { path, isKeepable in
            found.append(path)
            #expect(isKeepable, "\(path) cannot be kept")
        }
        #expect(found.contains("server.listen"))
        #expect(found.contains("store.sqlite.path"))
    }

    /// Calls `body` for each setting that needs a restart.
    private func visit(
        _ group: SettingGroupShape, at path: String, isKeepable: Bool, _ body: (String, Bool) -> Void
    ) {
        for setting in group.settings where setting.isPrinted {
            let path = path.isEmpty ? setting.name : "\(path).\(setting.name)"
            if setting.reload == .restart {
                body(path, isKeepable)
            } else {
                visit(setting.shape, at: path, isKeepable: isKeepable, body)
            }
        }
    }

    private func visit(_ shape: SettingShape, at path: String, isKeepable: Bool, _ body: (String, Bool) -> Void) {
        switch shape {
        case .scalar, .document: break
        case .group(let group): visit(group, at: path, isKeepable: isKeepable, body)
        case .map(_, let value): visit(value, at: "\(path).NAME", isKeepable: isKeepable, body)
        case .oneOf(let group): visit(group, at: path, isKeepable: false, body)
        case .list(let value, _), .nullable(let value): visit(value, at: path, isKeepable: false, body)
        case .either(let one, let other):
            visit(one, at: path, isKeepable: false, body)
            visit(other, at: path, isKeepable: false, body)
        }
    }
}
