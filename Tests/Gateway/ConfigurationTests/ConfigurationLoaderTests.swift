import ErrandHTTPGrammar
import ErrandHTTPServer
import ErrandRequestSerialization
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSettings
import ErrandTransfer
import HTTPTypes
import Testing

@testable import ErrandConfiguration

@Suite("Loading a configuration")
struct ConfigurationLoaderTests {
    @Test("An empty file is the default configuration", arguments: ["", "---", "# nothing\n", "server:\nsessions:\n"])
    func empty(yaml: String) throws {
        let configuration = try Sample.read(yaml)
        #expect(configuration.server == GatewayServerConfiguration())
        #expect(configuration.server.listen.map(\.description) == ["127.0.0.1:8080"])
        #expect(configuration.auth == AuthConfiguration())
        #expect(configuration.store == StoreConfiguration())
        #expect(configuration.sessions == [.callbacks(inheriting: .gatewayDefaults)])
        #expect(configuration.defaultSession == nil)
    }

    @Test("Sessions identify the gateway unless user_agent says otherwise")
    func userAgent() throws {
        let configuration = try Sample.read(
            """
            session_defaults: {url_scope: any}
            sessions: {a: {}, b: {user_agent: mine/2}, c: {user_agent: null}}
            """)
        #expect(configuration.sessions.map(\.userAgent) == ["errand/1.0", "mine/2", nil, "errand/1.0"])
    }

    @Test(
        "A rate of bytes has a unit, or is a number of bytes per second",
        arguments: [("50000", 50_000), ("50KiB/s", 51_200), ("null", nil)] as [(String, Int64?)])
    func bytesPerSecond(text: String, rate: Int64?) throws {
        let configuration = try Sample.read(
            "sessions: {a: {base_url: 'http://a/', limits: {bytes_per_second: \(text)}}}")
        #expect(configuration.sessions.first?.limits.bytesPerSecond == rate)
    }

    @Test("Every setting reaches its property")
    func everything() throws {
        let configuration = try Sample.read(
            """
            server:
              listen: ["127.0.0.1:0", "[::1]:9"]
              hosts: [Gateway.Example.com]
              max_json: 2MiB
              max_depth: 10
              max_headers: 8KiB
              max_connections: 7
              max_connections_per_address: 3
              timeouts: {header: 1s, body: 2m, body_idle: 1500ms, keep_alive: 4}
              min_rate: 2KiB/s
              max_wait: 90s
              stop_delay: 15s
              cors: {origins: ["https://console.example.com", "http://localhost:3000"]}
            auth:
              tokens:
                - {name: ci, token: 0123456789abcdef}
                - {name: ops, sha256: "000102030405060708090A0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}
              protect_operations: true
              allow_anonymous: true
            store: {sqlite: {path: /var/lib/errand/tasks.db}, durability: normal, inline_body: 0}
            files: {data: /var/lib/errand, uploads: /srv/uploads}
            dispatcher: {max_running: 5, window: 100, drain: 0s}
            logging: {level: debug, format: text, access: true, task_ends: true}
            default_session: api
            sessions:
              api:
                base_url: HTTPS://API.example.com/v1
                url_scope: base
                headers: {Accept-Language: "en;q=1", X-Trace: "on"}
                user_agent: null
                allow_methods: [get, PURGE]
                request:
                  serializer: raw
                  parameters_in_url: []
                  arrays: comma
                  nested: dots
                  booleans: literal
                  nulls: drop
                  spaces: plus
                  json: {pretty: true, sort_keys: true, escape_slashes: true}
                  compress: deflate
                  compress_min: 10
                  multipart_throttle: {packet: 8KiB}
                response:
                  serializer: raw
                  remove_nulls: true
                  acceptable_statuses: [200-299, 304]
                  acceptable_content_types: [text/*, "*/json"]
                  json: {allow_fragments: true, max_depth: 5}
                  disposition: {max_body: 1TiB, over_limit: fail}
                connection: {http: 2, max_per_host: 4, max_idle: 0, compression: false, interface: eth0}
                timeouts: {connect: 1s, idle: 250ms, total: null, suspended_keep: null}
                redirects: {mode: same_origin, limit: 3, keep_method_on_301_302: true}
                cookies: off
                reachability: {probe: {http: health}, interval: 5s, hold_when_unreachable: true}
                limits: {concurrent: 9}
            """)
        let server = configuration.server
        #expect(server.listen.map(\.description) == ["127.0.0.1:0", "[::1]:9"])
        #expect(server.hosts == ["gateway.example.com"])
        let (requests, limits) = (server.requests, server.limits)
        #expect((requests.maxJSONBytes, requests.maxDepth, limits.maxHeaderBytes) == (2 << 20, 10, 8 << 10))
        #expect((limits.maxConnections, limits.maxConnectionsPerAddress) == (7, 3))
        #expect((server.timeouts.header, server.timeouts.body) == (.seconds(1), .seconds(120)))
        #expect((server.timeouts.bodyIdle, server.timeouts.keepAlive) == (.milliseconds(1500), .seconds(4)))
        #expect((server.timeouts.minBodyBytesPerSecond, requests.maxWait) == (2048, .seconds(90)))
        #expect(server.stopDelay == .seconds(15))
        #expect(server.cors.origins == ["https://console.example.com", "http://localhost:3000"])
        let auth = configuration.auth
        #expect(auth.tokens.map(\.name) == ["ci", "ops"])
        #expect(auth.tokens.map(\.credential) == [.text("0123456789abcdef"), .sha256(Array(0...31))])
        #expect(auth.protectsOperations && auth.allowsAnonymous)
        #expect(configuration.store.sqlite.path == "/var/lib/errand/tasks.db")
        #expect((configuration.store.durability, configuration.store.inlineBodyBytes) == (.normal, 0))
        #expect(configuration.files.dataDirectory == "/var/lib/errand")
        #expect(configuration.files.uploads == "/srv/uploads")
        let dispatcher = configuration.dispatcher
        #expect((dispatcher.maxRunning, dispatcher.window, dispatcher.drain) == (5, 100, .zero))
        #expect((configuration.logging.level, configuration.logging.format) == (.debug, .text))
        #expect(configuration.logging.access && configuration.logging.taskEnds)
        #expect(configuration.defaultSession == "api")

        let session = try #require(configuration.session(named: "api"))
        #expect(session.baseURL?.string == "https://api.example.com/v1")
        #expect((session.urlScope, session.userAgent) == (.base, nil))
        #expect(session.headers.map { "\($0.name): \($0.value)" } == ["Accept-Language: en;q=1", "X-Trace: on"])
        #expect(session.allowedMethods.map(\.rawValue) == ["GET", "PURGE"])
        var request = RequestConfiguration(serializer: .raw)
        request.methodsWithParametersInURL = []
        request.options = RequestSerializationOptions(
            parameters: ParameterEncoding(
                arrays: .comma, nested: .dots, booleans: .literal, nulls: .drop, spaces: .plus),
            json: JSONWritingOptions(prettyPrinted: true, sortsKeys: true, escapesSlashes: true),
            throttle: BandwidthThrottle(packetBytes: 8 << 10, delay: .milliseconds(200)))
        request.compression = RequestCompression(coding: .deflate, minBytes: 10)
        #expect(session.request == request)
        #expect(session.response.serializer == .raw)
        #expect(session.response.options.removesNulls)
        #expect(session.response.acceptableStatuses == StatusSet([200...299, 304...304]))
        #expect(session.response.acceptableContentTypes?.map(\.description) == ["text/*", "*/json"])
        #expect(session.response.options.json == JSONReadingOptions(allowsFragments: true, maxDepth: 5))
        #expect(session.response.disposition.maxBodyBytes == 1 << 40)
        #expect(
            session.connection
                == ConnectionOptions(
                    version: .http2, maxConnectionsPerHost: 4, maxIdleConnections: 0, interface: "eth0"))
        #expect(!session.acceptsCompression)
        #expect(session.timeouts == TransferTimeouts(connect: .seconds(1), idle: .milliseconds(250), total: nil))
        #expect(session.limits.concurrent == 9)
        #expect(session.suspendedKeep == nil)
        #expect(session.redirects == RedirectPolicy(mode: .sameOrigin, limit: 3, keepsMethodOn301And302: true))
        #expect(session.cookies == .off)
        #expect(
            session.reachability
                == ReachabilityConfiguration(
                    probe: .http(path: "health"), interval: .seconds(5), holdsWhenUnreachable: true))
    }

    @Test(
        "The response serializer is a name or a list that is tried in order",
        arguments: [
            ("json", [ResponseSerializerKind.json]), ("[xml]", [.xml]), ("[json, xml, raw]", [.json, .xml, .raw]),
            ("auto", [.auto]), ("[image, plist, text]", [.image, .plist, .text]),
        ])
    func serializers(yaml: String, kinds: [ResponseSerializerKind]) throws {
        let text = "sessions: {a: {base_url: 'http://a/', response: {serializer: \(yaml)}}}"
        #expect(try Sample.read(text).session(named: "a")?.response.serializer.kinds == kinds)
    }

    @Test(
        "Each kind of probe is read",
        arguments: [
            ("passive", ReachabilityConfiguration.Probe.passive), ("tcp", .tcp), ("{http: /h}", .http(path: "/h")),
        ])
    func probe(yaml: String, probe: ReachabilityConfiguration.Probe) throws {
        let text = "sessions: {a: {base_url: 'http://a/', reachability: {probe: \(yaml)}}}"
        #expect(try Sample.read(text).session(named: "a")?.reachability.probe == probe)
    }

    @Test("Sessions keep the order of the file")
    func order() throws {
        let yaml = "sessions: {b: {base_url: 'http://b'}, a: {base_url: 'http://a'}, c: {base_url: 'http://c'}}"
        #expect(try Sample.read(yaml).sessions.map(\.name) == ["b", "a", "c", "callbacks"])
    }

    @Test("A session inherits each setting of session_defaults separately, regardless of the order in the file")
    func inheritance() throws {
        let configuration = try Sample.read(
            """
            sessions:
              plain: {base_url: "http://a/"}
              own:
                base_url: "http://b/"
                headers: {x-b: mine, X-C: null, X-D: new}
                timeouts: {idle: 5s}
                response: {json: {max_depth: 7}}
            session_defaults:
              headers: {X-A: a, X-B: b, X-C: c}
              timeouts: {connect: 1s, idle: 2s}
              response: {serializer: json, json: {allow_fragments: true}}
            """)
        let plain = try #require(configuration.session(named: "plain"))
        #expect(plain.headers.map { "\($0.name): \($0.value)" } == ["X-A: a", "X-B: b", "X-C: c"])
        #expect(plain.timeouts == TransferTimeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(3600)))
        let own = try #require(configuration.session(named: "own"))
        #expect(own.headers.map { "\($0.name): \($0.value)" } == ["X-A: a", "x-b: mine", "X-D: new"])
        #expect(own.timeouts == TransferTimeouts(connect: .seconds(1), idle: .seconds(5), total: .seconds(3600)))
        #expect(own.response.options.json == JSONReadingOptions(allowsFragments: true, maxDepth: 7))
        #expect(configuration.ownSessions.map(\.baseURL?.string) == ["http://a/", "http://b/"])
    }

    @Test("Sessions share settings through anchors and merges")
    func sharing() throws {
        let configuration = try Sample.read(
            """
            sessions:
              a: &a
                base_url: http://a/
                timeouts: &slow {total: 2h}
              b:
                <<: *a
                base_url: http://b/
              c:
                base_url: http://c/
                timeouts: {<<: *slow, idle: 1s}
            """)
        #expect(configuration.ownSessions.map(\.timeouts.total) == [.seconds(7200), .seconds(7200), .seconds(7200)])
        #expect(configuration.ownSessions.map(\.timeouts.idle) == [.seconds(60), .seconds(60), .seconds(1)])
        #expect(configuration.ownSessions.map(\.baseURL?.string) == ["http://a/", "http://b/", "http://c/"])
    }

    @Test("Risky settings cause warnings with their location")
    func warnings() throws {
        let yaml = "server: {listen: '0.0.0.0:8080'}\nauth:\n  allow_anonymous: true\n"
        let loaded = try Sample.loader().load(Array(yaml.utf8), file: "config.yaml")
        #expect(
            loaded.warnings.map { $0.text(file: "config.yaml") } == [
                "config.yaml:3:20: auth.allow_anonymous: any client that can connect may use every endpoint"
            ])
        let withToken = try Sample.loader(environment: ["ERRAND_TOKEN": "0123456789abcdef"])
            .load(Array(yaml.utf8), file: "config.yaml")
        #expect(
            withToken.warnings.map(\.message) == ["allow_anonymous has no effect, because there are tokens"])
        #expect(try Sample.loader().load([], file: "config.yaml").warnings == [])
    }

    @Test("The sample configuration is valid, and has default values except for its sessions")
    func sample() throws {
        let configuration = try Sample.read(try Sample.projectFile("config.yaml"))
        #expect(configuration.server == GatewayServerConfiguration())
        #expect(configuration.auth == AuthConfiguration())
        #expect(configuration.store == StoreConfiguration())
        #expect(configuration.files == FilesConfiguration())
        #expect(configuration.dispatcher == DispatcherConfiguration())
        #expect(configuration.logging == LoggingConfiguration())
        #expect(configuration.ownSessions.map(\.name) == ["echo", "echo-raw"])
        let echo = try #require(configuration.session(named: "echo"))
        var expected = SessionConfiguration.gatewayDefaults
        expected.name = "echo"
        expected.baseURL = try HTTPURL("http://127.0.0.1:8081/")
        expected.headers = [.accept: "application/json"]
        #expect(echo == expected)
        #expect(configuration.session(named: "echo-raw")?.response.disposition.hasOwnLimit == false)
    }
}
