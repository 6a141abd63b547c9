import ArgumentParser
import ErrandJSON
import ErrandTime
import Glibc
import HTTPTypes

/// `errand reload`: reloads the configuration of the running gateway and reports the result.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Reload the configuration of the running gateway.",
        discussion: """
            Prints the settings that have changed, and those that need a restart. The exit status is 0 when the new \
            configuration is in force; 78 when it has problems, which are printed, and the previous one stays in \
            force; 1 when no gateway runs with this configuration file, it cannot reload now, or it does not answer \
            within 60 s.

            Run it as the user of the gateway or as root. No token is needed. For root it names the user whose process \
            has answered, on standard error, if any user could listen there, and asks none if several users do.
            """)

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var control: ControlOption

    func run() async throws {
        let client = control.client(configuration: file.file)
        switch try await client.send(.post, "/v1/config:reload", within: Patience.own.reload) {
        case .notRunning(let reason), .ambiguous(let reason):
            StandardStreams.writeError(reason)
        case .late:
            StandardStreams.writeError(
                """
                the gateway did not answer within \(Patience.own.reload.shortText); the reload may still take effect, \
                and its result is in the log of the gateway
                """)
        case .failed(let reason):
            StandardStreams.writeError("the gateway does not answer: \(reason)")
        case .response(let response):
            if let note = response.note { StandardStreams.writeError(note) }
            guard response.status == 200 else {
                try fail(response)
                break
            }
            try StandardStreams.write(ReloadReport(response.document?.root.object).text)
            return
        }
        throw ExitCode.failure
    }

    private func fail(_ response: ControlClient.Response) throws {
        let problem = response.document?.root.object
        let faults = problem?["errors"]?.array ?? []
        for fault in faults {
            if let detail = fault.object?["detail"]?.string { StandardStreams.writeError(detail.visible) }
        }
        let detail = problem?["detail"]?.string?.visible ?? "status \(response.status)"
        guard response.status == 422 else {
            StandardStreams.writeError("not reloaded: \(detail)")
            return
        }
        StandardStreams.writeError("not reloaded: \(faults.count) problem\(faults.count == 1 ? "" : "s"); \(detail)")
        throw ExitCode(EX_CONFIG)
    }
}

/// The lines about an applied configuration, without invisible characters of the response.
struct ReloadReport {
    /// The lines.
    let text: String

    /// Creates the lines from the response to a reload.
    init(_ document: JSONObject?) {
        let changed = Self.paths(document?["changed"])
        let waiting = Self.paths(document?["restart_required"])
        var lines = [changed.isEmpty && waiting.isEmpty ? "reloaded: nothing has changed" : "reloaded"]
        lines += changed.map { "changed: \($0)" }
        lines += waiting.map { "needs a restart: \($0)" }
        text = lines.joined(separator: "\n")
    }

    private static func paths(_ value: JSONValue?) -> [String] {
        (value?.array ?? []).compactMap { $0.string?.visible }
    }
}
