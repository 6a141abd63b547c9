import Testing

@testable import ErrandConfiguration

@Suite("Risky settings in force")
struct RiskySettingTests {
    private static let session = "sessions: {a: {base_url: 'https://a/', "

    @Test(
        "Each has its path",
        arguments: [
            ("", []),
            ("server: {listen: ['127.0.0.1:0', {unix: /run/e.sock}]}", []),
            ("server: {listen: '0.0.0.0:1'}\nauth: {tokens: [{name: a, token: 0123456789abcdef}]}", []),
            ("auth: {allow_anonymous: true}", []),
            ("server: {listen: '0.0.0.0:1'}\nauth: {allow_anonymous: true}", ["auth.allow_anonymous"]),
            ("store: {durability: normal}", ["store.durability"]),
            (
                "\(session)security: {allow_invalid_certificates: true, validate_domain: false}}}",
                ["sessions.a.security.allow_invalid_certificates"]
            ),
            ("\(session)security: {validate_domain: false}}}", ["sessions.a.security.validate_domain"]),
            ("\(session)egress: {private_networks: allow}}}", ["sessions.a.egress.private_networks"]),
            ("\(session)egress: {private_networks: deny, allow: [10.0.0.1]}}}", []),
            ("\(session)egress: {allow: ['0.0.0.0/0']}}}", ["sessions.a.egress.allow"]),
            ("\(session)egress: {allow: [10.0.0.1, '::/0']}}}", ["sessions.a.egress.allow"]),
            ("callbacks: {unsigned: true}", ["callbacks.unsigned"]),
            ("callbacks: {unsigned: true, secrets: [whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw]}", []),
            (
                "store: {durability: normal}\nsession_defaults: {egress: {private_networks: allow}}\n"
                    + "sessions: {a: {base_url: 'http://a/'}, b: {base_url: 'http://b/', egress: "
                    + "{private_networks: base_only}}}",
                [
                    "store.durability", "sessions.a.egress.private_networks",
                    "sessions.callbacks.egress.private_networks",
                ]
            ),
        ] as [(String, [String])])
    func paths(yaml: String, paths: [String]) throws {
        #expect(try Sample.read(yaml).riskySettings.map(\.path) == paths)
    }

    @Test("Pinning with invalid certificates has a remedy of its own")
    func pinning() throws {
        let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let security = "{pinning: public_key, pins: ['\(pin)'], allow_invalid_certificates: true}"
        let risky = try Sample.read("\(Self.session)security: \(security)}}").riskySettings
        #expect(
            risky.map(\.description) == [
                "sessions.a.security.allow_invalid_certificates: set it to false, so that a chain needs a pin and has "
                    + "to be valid"
            ])
    }
}
