import ErrandJSON
import ErrandSessionCore
import Testing

@testable import ErrandConfiguration

@Suite("Printing the effective configuration")
struct ConfigurationPrinterTests {
    static let texts = [
        "",
        "logging: {access: true, task_ends: true}",
        "sessions: {a: {base_url: 'http://a/', retry: {budget: {ratio: 0.00005}}}}",
        "{sessions: {a: {base_url: 'http://a/'}}, tracing: {otlp: {session: a, path: /t, interval: 1s, max_queued: 5}}}",
        "server: {listen: ['127.0.0.1:0', '[::1]:1'], hosts: [a.example, 'on'], cors: {origins: ['https://a']}}",
        """
        default_session: a
        session_defaults: {headers: {X-A: a, X-B: b}, timeouts: {idle: 5s}}
        sessions:
          a: {base_url: 'http://a/v1/$$y', headers: {X-A: null, X-C: 'a: b # c', X-D: '$${X}', X-E: ''}}
          b: {url_scope: any, user_agent: null, timeouts: {total: null}, response: {acceptable_statuses: [204, 3xx]}}
          c:
            base_url: http://[::1]:8080
            connection: {http: 1.1}
            request: {parameters_in_url: [GET]}
            response: {acceptable_content_types: [text/*], disposition: {max_body: 1000}}
        """,
        """
        session_defaults: {cookies: off, connection: {resolve: {a: 10.0.0.1, 'b:8080': ['::1', 10.0.0.2]}}}
        sessions:
          a:
            base_url: http://a/
            request:
              serializer: multipart
              arrays: repeat
              json: {pretty: true}
              compress: gzip
              multipart_throttle: {packet: 1KiB, delay: 5ms}
            response: {serializer: [json, raw], remove_nulls: true}
            connection: {proxy: 'socks5h://p:1080', interface: '::1', http: 2}
            egress: {private_networks: allow, allow: [10.0.0.0/8, '::1'], deny: [8.8.8.8], trust_proxy: true}
            redirects: {mode: refuse}
            cookies: persistent
            timeouts: {suspended_keep: null}
            reachability: {probe: {http: /health}, hold_when_unreachable: true}
            limits: {concurrent: 3, rate: 600/m, burst: 7, bytes_per_second: 1MiB/s, max_queued: 9}
            retry:
              max_attempts: 9
              backoff: {initial: 1ms, multiplier: 1.5, max: 2d, jitter: 0}
              max_elapsed: 3h
              methods: [GET, POST]
              statuses: [429, 500-599]
              respect_retry_after: false
              budget: {ratio: 0.25, min_per_second: 1}
              after_crash: resend
            circuit_breaker: {failures: 5, window: 10s, open: 1s}
            forward_idempotency_key: true
          b:
            base_url: http://b/
            request: {multipart_throttle: none}
            response: {serializer: raw}
            reachability: {probe: tcp}
        """,
        """
        store: {retention: {succeeded: null, failed: 30d, canceled: 1h, idempotency_keys: 1d, max_tasks: 1000000}}
        server: {listen: [{unix: /run/e.sock, mode: '0600'}, '127.0.0.1:1'], tls: null}
        session_defaults: {egress: {deny: [10.0.0.0/8, 'fd00::/8']}}
        sessions:
          a:
            base_url: https://a/
            security:
              pinning: public_key
              pins: ['sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=']
              pin_scope: leaf
              allow_invalid_certificates: true
              min_tls: 1.3
              revocation: stapled
          b: {base_url: 'https://b/', security: {validate_domain: false, min_tls: '1.2'}, egress: {private_networks: deny}}
        """,
    ]

    @Test("A header field whose value is not in the file is not shown")
    func interpolatedHeader() throws {
        let yaml = "sessions: {a: {base_url: 'http://a/', headers: {X-Partner: '${PIN}', X-Other: 'shown'}}}"
        let printed = ConfigurationPrinter.yaml(try Sample.read(yaml, environment: ["PIN": "12345"]))
        #expect(!printed.contains("12345"))
        #expect(
            printed.contains("X-Partner: [redacted]") || printed.contains("X-Partner: \"[redacted]\""), "\(printed)")
        #expect(printed.contains("X-Other: shown"))
    }

    @Test("The path of the collector is not shown if a part of it is not in the file")
    func interpolatedPath() throws {
        func printed(_ path: String) throws -> (text: String, isSecret: Bool?) {
            let yaml = "{sessions: {a: {base_url: 'http://a/'}}, tracing: {otlp: {session: a, path: '\(path)'}}}"
            let configuration = try Sample.read(yaml, environment: ["CANARY": "canary"])
            #expect(configuration.tracing.otlp?.path == path.replacing("${CANARY}", with: "canary"))
            return (ConfigurationPrinter.yaml(configuration), configuration.tracing.otlp?.isPathSecret)
        }
        for path in ["/v1/traces?key=${CANARY}", "${CANARY}/v1/traces"] {
            let (text, isSecret) = try printed(path)
            #expect(isSecret == true)
            #expect(!text.contains("canary"))
            #expect(text.contains("    path: \"[redacted]\"\n"))
            #expect(ConfigurationPrinter.yaml(try Sample.read(text)) == text)
        }
        let (text, isSecret) = try printed("/v1/traces?key=shown")
        #expect(isSecret == false)
        #expect(text.contains("/v1/traces?key=shown"))
    }

    @Test("The path of a probe is not shown if a part of it is not in the file, neither in the file nor for clients")
    func interpolatedProbe() throws {
        let yaml = "sessions: {a: {base_url: 'http://a/', reachability: {probe: {http: '/health?key=${CANARY}'}}}}"
        let configuration = try Sample.read(yaml, environment: ["CANARY": "canary"])
        let session = try #require(configuration.session(named: "a"))
        #expect(session.reachability.probe == .http(path: "/health?key=canary"))
        var writer = JSONWriter()
        ConfigurationPrinter.write(session, to: &writer)
        let printed = ConfigurationPrinter.yaml(configuration)
        for text in [printed, String(decoding: writer.bytes, as: UTF8.self)] {
            #expect(!text.contains("canary"))
            #expect(text.contains("[redacted]"))
        }
        #expect(ConfigurationPrinter.yaml(try Sample.read(printed)) == printed)
    }

    @Test("The printed text is read as the same configuration, and printed the same", arguments: texts)
    func fixedPoint(yaml: String) throws {
        let configuration = try Sample.read(yaml)
        let printed = ConfigurationPrinter.yaml(configuration)
        let again = try Sample.read(printed)
        #expect(ConfigurationPrinter.yaml(again) == printed)
        #expect(again.server == configuration.server)
        #expect(again.sessions == configuration.sessions)
        #expect(again.defaultSession == configuration.defaultSession)
    }

    @Test("The printed sample configuration is read as the same configuration")
    func sample() throws {
        let configuration = try Sample.read(try Sample.projectFile("config.yaml"))
        let printed = ConfigurationPrinter.yaml(configuration)
        #expect(ConfigurationPrinter.yaml(try Sample.read(printed)) == printed)
    }

    @Test("Defaults are printed")
    func defaults() throws {
        let printed = ConfigurationPrinter.yaml(try Sample.read(""))
        #expect(
            printed.hasPrefix(
                """
                server:
                  listen: ["127.0.0.1:8080"]
                  tls: null
                  hosts: []
                  max_json: 1MiB
                  max_body: 64MiB
                  max_content: null
                  max_batch: 1000
                  max_depth: 64
                  max_headers: 32KiB
                  max_connections: 4096
                  max_connections_per_address: 1024
                  max_buffered: 256MiB
                  max_unsent: 64MiB
                  timeouts:
                    header: 10s
                    body: 10m
                    body_idle: 30s
                    keep_alive: 75s
                  min_rate: 1KiB/s
                  max_wait: 1m
                  stop_delay: 5s
                  cors:
                    origins: []
                auth:
                  tokens: []
                """))
        #expect(!printed.contains("session_defaults"))
    }

    @Test("The JSON of a session has every setting, but no secret")
    func json() throws {
        let yaml = """
            sessions:
              a:
                base_url: http://a/
                headers: {X-Token: SECRET, X-Open: shown}
                credentials: {bearer: {token: SECRET}}
                cookies: off
                connection: {http: 2, proxy: "http://u:SECRET@p:1"}
                egress: {trust_proxy: true}
            """
        var writer = JSONWriter()
        ConfigurationPrinter.write(try #require(try Sample.read(yaml).session(named: "a")), to: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(!text.contains("SECRET"))
        #expect(text.contains(#""headers":{"X-Token":"[redacted]","X-Open":"shown"}"#))
        #expect(text.contains(#""credentials":{"bearer":{"token":"[redacted]"}}"#))
        #expect(text.contains(#""proxy":"http://[redacted]@p:1""#))
        #expect(text.contains(#""cookies":"off""#))
        #expect(text.contains(#""connection":{"http":"2","max_per_host":32,"#))
        #expect(text.contains(#""multipart_throttle":"none""#))
        #expect(text.contains(#""reachability":{"probe":"passive","#))
    }

    @Test("Secrets are not printed: tokens, their hashes, and headers with a secret name")
    func secrets() throws {
        let yaml = """
            auth:
              tokens:
                - {name: a, token: SECRET-0123456789}
                - {name: b, sha256: "\(String(repeating: "5e", count: 32))"}
            sessions:
              a:
                base_url: http://a/
                headers: {Authorization: SECRET, Cookie: SECRET, X-Api-Key: SECRET, X-Token: SECRET, X-Open: shown}
            """
        let printed = ConfigurationPrinter.yaml(
            try Sample.read(yaml, environment: ["ERRAND_TOKEN": "SECRET-9876543210"]))
        #expect(!printed.contains("SECRET"))
        #expect(!printed.contains("5e5e"))
        #expect(printed.contains("X-Open: shown"))
        #expect(printed.contains("token: \"[redacted]\""))
        #expect(printed.contains("X-Api-Key: \"[redacted]\""))
    }
}
