import ErrandJSON
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import ErrandYAML
import HTTPTypes
import Testing

@testable import ErrandConfiguration

@Suite("Settings of callbacks")
struct CallbackSettingsTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    @Test("Secrets are read, and printed as [redacted]")
    func secrets() throws {
        let yaml = "callbacks: {secrets: [\(Self.secret), whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=]}"
        let configuration = try Sample.read(yaml)
        #expect(configuration.callbacks.secrets.count == 2)
        #expect(!configuration.callbacks.allowsUnsigned)
        let printed = ConfigurationPrinter.yaml(configuration)
        #expect(!printed.contains(Self.secret.dropFirst(6)))
        #expect(printed.contains("[redacted]"))
    }

    @Test("The session of callbacks may inherit pins, although it has no base URL")
    func pins() {
        let pins = "pinning: public_key, pins: ['sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=']"
        let message = "pinning requires base_url, because pins belong to one server; set base_url, or pinning: none"
        ProblemRow(
            "session_defaults: {url_scope: any, security: {\(pins)}}\nsessions:\n  a: {}\n  callbacks: {}\n",
            "3:6: sessions.a.security.pinning: \(message)"
        ).check()
    }

    @Test(
        "The session of callbacks exists without being declared, and inherits nothing intended for an upstream")
    func builtIn() throws {
        let configuration = try Sample.read(
            """
            session_defaults:
              base_url: http://upstream.example/
              headers: {X-Upstream: secret}
              credentials: {bearer: {token: secret}}
              timeouts: {total: 7s}
              egress: {allow: [10.0.0.0/8]}
            sessions:
              a: {}
            """)
        let session = try #require(configuration.session(named: "callbacks"))
        #expect(session.baseURL == nil)
        #expect(session.urlScope == .any)
        #expect(session.headers.isEmpty)
        #expect(session.credentials == nil)
        #expect(session.allowedMethods == [.post])
        #expect(session.redirects.mode == .refuse)
        #expect(session.timeouts.total == .seconds(7))
        #expect(session.egress == configuration.session(named: "a")?.egress)
    }

    @Test(
        "A receiver of callbacks has 30 s by default", arguments: [("", 30), ("total: 1h", 3600)])
    func receiversTime(_ timeouts: String, _ seconds: Int) throws {
        let configuration = try Sample.read(
            "{session_defaults: {timeouts: {total: 2h}}, sessions: {callbacks: {timeouts: {\(timeouts)}}}}")
        let session = try #require(configuration.session(named: "callbacks"))
        #expect(session.timeouts.total == .seconds(seconds))
    }

    @Test("The queue of the session of callbacks has no limit, also if sessions inherit one")
    func queue() throws {
        let configuration = try Sample.read("session_defaults: {limits: {concurrent: 4, max_queued: 5}}")
        let limits = try #require(configuration.session(named: "callbacks")).limits
        #expect(limits.concurrent == 4)
        #expect(limits.maxQueued == 0)
        #expect(SessionConfiguration.callbacks(inheriting: configuration.sessionDefaults).limits.maxQueued == 0)
        ProblemRow(
            "sessions: {callbacks: {limits: {max_queued: 5}}}",
            "1:45: sessions.callbacks.limits.max_queued: callbacks are never refused: remove it"
        ).check()
    }

    @Test("The file can change settings of the session of callbacks")
    func configured() throws {
        let configuration = try Sample.read("sessions: {callbacks: {timeouts: {total: 5s}}}")
        var expected = SessionConfiguration.callbacks(inheriting: .gatewayDefaults)
        expected.timeouts.total = .seconds(5)
        #expect(configuration.sessions == [expected])
    }

    @Test("Settings without effect on callbacks are not printed, neither in the file nor for clients")
    func printed() throws {
        let configuration = try Sample.read("")
        let session = try #require(configuration.session(named: "callbacks"))
        var writer = JSONWriter()
        ConfigurationPrinter.write(session, to: &writer)
        for text in [ConfigurationPrinter.yaml(configuration), String(decoding: writer.bytes, as: UTF8.self)] {
            for name in [
                "allow_methods", "redirects", "max_attempts", "backoff", "max_elapsed", "after_crash", "compress_min",
                "acceptable_statuses", "acceptable_content_types", "parameters_in_url", "remove_nulls", "over_limit",
                "forward_idempotency_key", "max_queued",
            ] {
                #expect(!text.contains(name), "\(name)")
            }
            for name in ["respect_retry_after", "budget", "content_digest", "unacceptable"] {
                #expect(text.contains(name), "\(name)")
            }
        }
    }

    @Test(
        "Each setting of limits, requests, responses and retries is refused, unless it has an effect on callbacks",
        arguments: [
            ("limits", ["concurrent", "rate", "burst", "bytes_per_second"]),
            ("request", ["content_digest", "expect_continue"]), ("response", ["disposition"]),
            ("response.disposition", ["max_body", "unacceptable"]), ("retry", ["respect_retry_after", "budget"]),
        ])
    func withEffect(group: String, names: [String]) throws {
        let session = CallbackSessionSettings.write(.callbacks(inheriting: .gatewayDefaults))
        let settings = session[YAMLPath(keys: group.split(separator: ".").map { String($0) })]
        #expect(settings?.mapping?.members.map(\.key) == names)
    }
}

extension GatewayConfiguration {
    /// The sessions of the file, without the session for callbacks.
    var ownSessions: [SessionConfiguration] {
        sessions.filter { $0.name != SessionConfiguration.callbacksName }
    }
}
