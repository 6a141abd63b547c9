/// The configuration of a gateway in a test: what is not said here is the program's default.
struct GatewaySettings {
    /// The origin of the upstream that the sessions `up` (JSON) and `raw` (bytes) have.
    var upstream = "http://127.0.0.1:1"
    /// More lines of `server`.
    var server: [String] = []
    /// Lines of `auth`.
    var auth: [String] = []
    /// Lines of `store` besides the path.
    var store = ["durability: normal"]
    /// Lines of `files` besides the folder of its data.
    var files: [String] = []
    /// Lines of `dispatcher`.
    var dispatcher: [String] = []
    /// More lines of the session `up`.
    var session: [String] = []
    /// More sessions, each a line of flow style.
    var sessions: [String] = []
    /// More lines of the file, at its top level.
    var more: [String] = []
    /// The most attempts of a task, so that tests of one attempt see how it ends; `nil` for the program's default.
    var attempts: Int? = 1
    /// The most bytes of a response in the session `raw`.
    var maxBody = "8MiB"
    /// The least important log messages.
    var logLevel = "notice"

    /// The configuration file of a gateway whose files are in `folder`.
    func yaml(_ folder: TemporaryFolder) -> String {
        var lines = section("server", ["listen: \"127.0.0.1:0\""] + server)
        lines += section("auth", auth)
        lines += section("store", ["sqlite: { path: \(folder["errand.db"]) }"] + store)
        lines += section("files", ["data: \(folder["data"])"] + files)
        lines += section("dispatcher", dispatcher)
        lines += section("logging", ["level: \(logLevel)", "format: json"])
        if let attempts { lines += section("session_defaults", ["retry: { max_attempts: \(attempts) }"]) }
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

    private func section(_ name: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["\(name):"] + lines.map { "  \($0)" }
    }
}
