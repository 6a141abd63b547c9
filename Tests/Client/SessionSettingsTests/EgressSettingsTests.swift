import ErrandEgress
import ErrandSessionCore
import ErrandSupport
import Testing

@testable import ErrandSessionSettings

@Suite("Egress in the configuration")
struct EgressSettingsTests {
    @Test("Each setting is read into its property, and printed as it is read")
    func values() throws {
        let yaml = """
            sessions:
              a: {base_url: 'http://a/'}
              b:
                base_url: http://b/
                egress: {private_networks: deny, allow: [10.0.0.0/8, '::1', 1.2.3.4], deny: ['::ffff:0:0/96'], trust_proxy: true}
            """
        let configuration = try Sample.read(yaml)
        #expect(configuration.session(named: "a")?.egress == EgressPolicy())
        let policy = EgressPolicy(
            privateNetworks: .deny,
            allow: [try IPNetwork("10.0.0.0/8"), try IPNetwork("::1"), try IPNetwork("1.2.3.4")],
            deny: [try IPNetwork("0.0.0.0/0")], trustsProxy: true)
        #expect(configuration.session(named: "b")?.egress == policy)
        let printed = Sample.printed(configuration)
        #expect(try Sample.read(printed).sessions == configuration.sessions)
    }

    private static let expected = "expected an address or a network such as 10.0.0.0/8 or fd00::/8:"

    static let wrong: [ProblemRow] = [
        .session(
            "egress: {private_networks: some}",
            "4:32: sessions.a.egress.private_networks: expected base_only, allow or deny, found \"some\""),
        .session(
            "egress: {allow: [10.0.0.1/8, 10.0.0.0/33, localhost], deny: 127.0.0.1}",
            "4:22: sessions.a.egress.allow[0]: \(expected) \(IPNetworkError.bitsBehindPrefix)",
            "4:34: sessions.a.egress.allow[1]: \(expected) \(IPNetworkError.badPrefix)",
            "4:47: sessions.a.egress.allow[2]: \(expected) \(IPNetworkError.notAnAddress)",
            "4:65: sessions.a.egress.deny: expected a list, found text"),
        .session(
            "connection: {proxy: 'http://p:1'}",
            "3:5: sessions.a.egress.trust_proxy: the host of base_url cannot be used: host names behind a proxy require egress.trust_proxy"
        ),
        .session("connection: {proxy: 'http://p:1'}\n    egress: {trust_proxy: true}"),
    ]

    private static func oauth2(_ url: String) -> String {
        "credentials: {oauth2: {token_url: '\(url)', client_id: c, client_secret: s}}"
    }

    @Test(
        "A session that cannot reach its own upstream is refused",
        arguments: [
            ("base_url: 'http://127.0.0.1/'", nil), ("base_url: 'http://[::1]:8080/'", nil),
            ("base_url: 'http://a/', connection: {proxy: 'http://p:1'}", "egress.trust_proxy"),
            ("base_url: 'http://a/', connection: {proxy: 'http://p:1'}, egress: {trust_proxy: true}", nil),
            ("base_url: 'http://8.8.8.8/', connection: {proxy: 'http://p:1'}", nil),
            ("base_url: 'http://10.0.0.1/', connection: {proxy: 'http://p:1'}", nil),
            ("url_scope: any, connection: {proxy: 'http://p:1'}", nil),
            ("base_url: 'http://8.8.8.8/', connection: {proxy: 'http://10.0.0.1:1'}", "connection.proxy"),
            ("url_scope: any, connection: {proxy: 'socks5://[::1]:1'}", "connection.proxy"),
            (
                "base_url: 'http://8.8.8.8/', connection: {proxy: 'http://10.0.0.1:1'}, egress: {allow: [10.0.0.1]}",
                nil
            ),
            ("base_url: 'http://127.0.0.1/', egress: {private_networks: deny}", "egress.private_networks"),
            ("base_url: 'http://127.1/', egress: {private_networks: deny}", "egress.private_networks"),
            ("base_url: 'http://[::ffff:10.0.0.1]/', egress: {private_networks: deny}", "egress.private_networks"),
            ("base_url: 'http://127.0.0.1/', egress: {private_networks: deny, allow: [127.0.0.1]}", nil),
            ("base_url: 'http://127.0.0.1/', egress: {private_networks: allow, deny: [127.0.0.0/8]}", "egress.deny"),
            ("base_url: 'http://localhost/', egress: {private_networks: deny}", nil),
            ("base_url: 'http://a/', \(oauth2("https://id.test/t"))", nil),
            ("base_url: 'http://a/', \(oauth2("https://10.0.0.1/t"))", "credentials.oauth2.token_url"),
            ("base_url: 'http://10.0.0.1/', \(oauth2("http://10.0.0.1/t"))", nil),
            ("base_url: 'http://10.0.0.1/', \(oauth2("http://10.0.0.1:81/t"))", "credentials.oauth2.token_url"),
            ("base_url: 'http://a/', \(oauth2("https://10.0.0.1/t")), egress: {allow: [10.0.0.1]}", nil),
            (
                "base_url: 'http://8.8.8.8/', \(oauth2("https://id.test/t")), connection: {proxy: 'http://p:1'}",
                "credentials.oauth2.token_url"
            ),
        ])
    func unreachable(members: String, setting: String?) {
        let problems = Sample.problems("sessions: {a: {\(members)}}")
        #expect(problems.count == (setting == nil ? 0 : 1))
        if let setting { #expect(problems.first?.contains(": sessions.a.\(setting): ") == true) }
    }

    @Test("Each problem is reported with its location and setting", arguments: wrong)
    func problems(row: ProblemRow) {
        row.check()
    }
}
