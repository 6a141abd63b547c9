import ErrandSupport

/// The configuration of a gateway in a test; other settings have their defaults.
///
/// No time passes that a test does not set itself: on a busy machine it could pass before the step that it limits.
struct GatewaySettings {
    /// The origin of the upstream of the sessions `up` (JSON) and `raw` (bytes).
    var upstream = "http://127.0.0.1:1"
    /// The value of `server.listen`; TCP on 127.0.0.1 comes first.
    var listen = #""127.0.0.1:0""#
    /// Additional lines of `server`.
    var server: [String] = []
    /// Lines of `auth`.
    var auth: [String] = []
    /// Lines of `store` besides the path.
    var store = ["durability: normal"]
    /// Lines of `files` besides the data folder.
    var files: [String] = []
    /// Lines of `dispatcher`.
    var dispatcher: [String] = []
    /// Additional lines of the session `up`.
    var session: [String] = []
    /// Additional sessions, each a line in flow style.
    var sessions: [String] = []
    /// Additional lines at the top level of the file.
    var more: [String] = []
    /// The maximum number of attempts of a task, one for tests of a single attempt; `nil` for the default.
    var attempts: Int? = 1
    /// The maximum size of a response in the session `raw`.
    var maxBody = "8MiB"
    /// The folder of the store and the data, within that of the test.
    var state = "."
    /// The minimum log level.
    var logLevel = "notice"
    /// Lines of `logging` besides the level and the format.
    var logging: [String] = []

    /// Returns the configuration file of a gateway whose files are in `folder`.
    func yaml(_ folder: TemporaryFolder) -> String {
        var lines = section("server", ["listen: \(listen)"] + server + Self.serverTimes(besides: server))
        lines += section("auth", auth)
        let database = "sqlite: { path: \(folder["\(state)/errand.db"]) }"
        lines += section("store", [database, "read_timeout: 10m"] + store)
        lines += section("files", ["data: \(folder["\(state)/data"])"] + files)
        lines += section("dispatcher", dispatcher)
        lines += section("logging", ["level: \(logLevel)", "format: json"] + logging)
        let retry = attempts.map { ["retry: { max_attempts: \($0) }"] } ?? []
        lines += section("session_defaults", [Self.sessionTimes] + retry)
        lines += ["sessions:"]
        lines += section(
            "up", ["base_url: \(upstream)/", "url_scope: origin", "request: { serializer: json }"] + session
        ).map { "  \($0)" }
        let disposition = "response: { serializer: raw, disposition: { max_body: \(maxBody) } }"
        lines += section("raw", ["base_url: \(upstream)/", "request: { serializer: raw }", disposition])
            .map { "  \($0)" }
        lines += sessions.map { "  \($0)" }
        return (lines + more).joined(separator: "\n") + "\n"
    }

    /// The timeouts of all sessions, except those that a session sets.
    private static let sessionTimes = "timeouts: { connect: 24h, idle: 24h, total: 24h, suspended_keep: 24h }"

    /// Returns the times of the server, except those among the lines of a test.
    private static func serverTimes(besides lines: [String]) -> [String] {
        let times = [
            (name: "max_wait:", value: "1h"),
            (name: "stop_delay:", value: "0s"),
            (name: "timeouts:", value: "{ header: 24h, body: 24h, body_idle: 24h, keep_alive: 24h }"),
        ]
        return times.filter { time in !lines.contains { $0.hasPrefix(time.name) } }.map { "\($0.name) \($0.value)" }
    }

    private func section(_ name: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["\(name):"] + lines.map { "  \($0)" }
    }
}
