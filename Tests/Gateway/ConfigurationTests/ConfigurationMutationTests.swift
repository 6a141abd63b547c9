import ErrandSettings
import ErrandSupport
import Testing

@testable import ErrandConfiguration

@Suite("Damaged configurations")
struct ConfigurationMutationTests {
    /// Settings that the sample does not use, with credentials whose secrets may be `[redacted]`.
    private static let sessions = """
        session_defaults: {cookies: off, connection: {resolve: {a: 10.0.0.1, 'b:8080': ['::1', 10.0.0.2]}}}
        sessions:
          a:
            base_url: http://a/
            request: {serializer: multipart, compress: gzip, multipart_throttle: {packet: 1KiB, delay: 5ms}}
            response: {serializer: [json, raw], acceptable_statuses: [204, 300-399]}
            connection: {proxy: 'socks5h://p:1080', interface: '::1', http: 2}
            egress: {private_networks: allow, allow: [10.0.0.0/8, '::1'], trust_proxy: true}
            reachability: {probe: {http: /health}, hold_when_unreachable: true}
            credentials: {oauth2: {token_url: 'https://id/', client_id: c, client_secret: s, scopes: [r, w]}}
          b:
            base_url: http://b/
            reachability: {probe: tcp}
            credentials: {api_key: {header: X-Key, value: v}}
          c: {base_url: 'http://c/', credentials: {basic: {username: u, password: p}}}
          d: {url_scope: any, credentials: null, timeouts: {suspended_keep: null}}
          e:
            base_url: https://e/
            security: {pinning: public_key, pins: ['sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='], pin_scope: leaf, min_tls: 1.3, revocation: stapled}
            egress: {private_networks: deny, deny: ['64:ff9b::/96', 10.0.0.0/8]}
        server: {listen: ['127.0.0.1:1', {unix: e.sock, mode: '0600'}], tls: null}
        """

    @Test("A damaged sample is either read or refused with problems that have a location")
    func sample() throws {
        try damage(
            Array(try Sample.projectFile("config.yaml").utf8), changes: 4,
            rounds: TestBuild.rounds(1500, sanitized: 50, soak: 20_000))
    }

    @Test("Damaged settings of every shape are either read or refused with problems that have a location")
    func shapes() throws {
        try damage(
            Array(Self.sessions.utf8), changes: 1, rounds: TestBuild.rounds(4000, sanitized: 130, soak: 50_000))
    }

    /// Repeatedly damages a text by up to the given number of changes, and checks the result.
    private func damage(_ sample: [UInt8], changes: Int, rounds: Int) throws {
        var random = SplitMix64(seed: 2)
        let loader = Sample.loader(environment: ["A": "b"])
        var (read, refused) = (0, 0)
        for _ in 0..<rounds {
            let damaged = Self.damage(sample, changes: changes, &random)
            let outcome = Result { () throws(ConfigurationError) in try loader.load(damaged, file: "f") }
            switch outcome {
            case .success(let loaded):
                let printed = ConfigurationPrinter.yaml(loaded.configuration)
                let again = try Sample.read(printed)
                #expect(ConfigurationPrinter.yaml(again) == printed)
                read += 1
            case .failure(let error):
                #expect(!error.problems.isEmpty)
                refused += 1
            }
        }
        // Both results must be frequent, or one of them is not tested.
        #expect(read > rounds / 50)
        #expect(refused > rounds / 50)
    }

    /// Applies one or more changes: replaces a byte, removes, duplicates or moves a part, or inserts special text.
    private static func damage(_ bytes: [UInt8], changes: Int, _ random: inout SplitMix64) -> [UInt8] {
        let special = [
            "\t", "\u{0}", "- ", ": ", "[", "]", "{", "}", "&a ", "*a ", "!x ", "<<: ", "'", "\"", "|\n", "$", "${A}",
            "$$",
            "null", "---\n", "\n", "#", "%", "é", "\u{FEFF}", "99999999999999999999", "-1", "0",
        ]
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...changes, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3:
                let piece = bytes[place..<end]
                bytes.insert(contentsOf: piece, at: Int.random(in: 0..<bytes.count, using: &random))
            default:
                let text = special[Int.random(in: 0..<special.count, using: &random)]
                bytes.insert(contentsOf: text.utf8, at: place)
            }
        }
        return bytes
    }
}
