import ErrandSettings
import ErrandSupport
import Testing

@testable import ErrandConfiguration

@Suite("Problems of a configuration")
struct ConfigurationProblemTests {
    typealias Row = ProblemRow

    static let structure: [Row] = [
        Row("server:\n  max_jsn: 5", "2:3: server.max_jsn: unknown setting; did you mean max_json?"),
        Row("servers: {}", "1:1: servers: unknown setting; did you mean server?"),
        Row("qqqqqqqqqqqq: {}", "1:1: qqqqqqqqqqqq: unknown setting"),
        Row("[1]", "1:1: expected a mapping, found a list"),
        Row("text", "1:1: expected a mapping, found text"),
        Row("server: 5", "1:9: server: expected a mapping, found text"),
        Row("server: ''", "1:9: server: expected a mapping, found text"),
        Row("server: {timeouts: [1]}", "1:20: server.timeouts: expected a mapping, found a list"),
        Row("auth: {tokens: {a: 1}}", "1:16: auth.tokens: expected a list, found a mapping"),
        Row("auth: {tokens: null}", "1:16: auth.tokens: expected a list, found nothing"),
        Row("sessions: [a]", "1:11: sessions: expected a mapping, found a list"),
        Row("a: b: c", "1:5: mapping values are not allowed in this context"),
        Row("logging: {level: info, level: debug}", "1:24: logging.level: duplicate key; first used at 1:11"),
        Row(
            "logging: {level: !x info}",
            "1:18: logging.level: tags are not supported; quote text that begins with !"),
        Row(
            "server: {max_depth: 0}\nserver: {}\nlogging: {levle: info, format: xml}",
            "1:21: server.max_depth: expected a whole number from 1 to 512, found \"0\"",
            "2:1: server: duplicate key; first used at 1:1",
            "3:11: logging.levle: unknown setting; did you mean level?",
            "3:32: logging.format: expected json or text, found \"xml\""),
    ]

    static let scalars: [Row] = [
        Row("server: {max_wait: fast}", "1:20: server.max_wait: expected a duration such as 30s, found \"fast\""),
        Row(
            "server: {max_wait: 30 s}",
            "1:20: server.max_wait: expected a duration such as 30s, found \"30 s\"; did you mean 30s?"),
        Row(
            "server: {max_wait: 1.5s}",
            "1:20: server.max_wait: expected a duration such as 30s, found \"1.5s\"; did you mean 1500ms?"),
        Row("server: {max_wait: -1s}", "1:20: server.max_wait: expected a duration such as 30s, found \"-1s\""),
        Row(
            "server: {max_wait: 999999999999999999d}",
            "1:20: server.max_wait: expected a duration such as 30s, found \"999999999999999999d\""),
        Row("server: {max_wait: 2h}", "1:20: server.max_wait: expected a duration from 1s to 1h"),
        Row("server: {stop_delay: 301s}", "1:22: server.stop_delay: expected a duration from 0s to 5m"),
        Row("server: {stop_delay: 0s}"),
        Row("server: {max_wait: }", "1:20: server.max_wait: expected a duration such as 30s, found nothing"),
        Row("server: {max_wait: [1s]}", "1:20: server.max_wait: expected a duration such as 30s, found a list"),
        Row(
            "server: {max_json: 1MB}",
            "1:20: server.max_json: expected a size such as 64MiB, found \"1MB\"; did you mean 1MiB?"),
        Row(
            "server: {max_json: 1mib}",
            "1:20: server.max_json: expected a size such as 64MiB, found \"1mib\"; did you mean 1MiB?"),
        Row("server: {max_json: 1}", "1:20: server.max_json: expected a size from 1KiB to 64MiB"),
        Row(
            "server: {max_json: 99999999TiB}",
            "1:20: server.max_json: expected a size such as 64MiB, found \"99999999TiB\""),
        Row("server: {max_depth: ten}", "1:21: server.max_depth: expected a whole number from 1 to 512, found \"ten\""),
        Row("server: {max_depth: +5}", "1:21: server.max_depth: expected a whole number from 1 to 512, found \"+5\""),
        Row("server: {max_depth: 5.0}", "1:21: server.max_depth: expected a whole number from 1 to 512, found \"5.0\""),
        Row(
            "server: {min_rate: 1KiB}",
            "1:20: server.min_rate: expected a rate such as 1KiB/s, found \"1KiB\"; did you mean 1KiB/s?"),
        Row("server: {min_rate: 0/s}", "1:20: server.min_rate: expected a rate from 1/s to 1GiB/s"),
        Row(
            "auth: {protect_operations: yes}",
            "1:28: auth.protect_operations: expected true or false, found \"yes\"; did you mean true?"),
        Row(
            "logging: {level: loud}",
            "1:18: logging.level: expected trace, debug, info, notice, warning, error or "
                + "critical, found \"loud\""),
        Row("logging: {access: all}", "1:19: logging.access: expected true or false, found \"all\""),
        Row("logging: {task_ends: 1}", "1:22: logging.task_ends: expected true or false, found \"1\""),
        Row("store: {durability: [full]}", "1:21: store.durability: expected full or normal, found a list"),
        Row("files: {data: ''}", "1:15: files.data: expected path of a directory, found \"\""),
        Row(
            "store: {sqlite: {path: data/}}",
            "1:24: store.sqlite.path: expected the path of a file, found a directory"),
        Row(
            "server: {hosts: ['a:80', 'b c', '-']}",
            "1:18: server.hosts[0]: expected a host name such as gateway.example.com, without a port, found \"a:80\"",
            "1:26: server.hosts[1]: expected a host name such as gateway.example.com, without a port, found \"b c\""),
        Row(
            "server: {cors: {origins: ['*', 'https://a.b/', 'https://a.b/c']}}",
            "1:27: server.cors.origins[0]: expected an origin such as https://console.example.com, found \"*\"",
            "1:32: server.cors.origins[1]: expected an origin such as https://console.example.com, found \"https://a.b/\"",
            "1:48: server.cors.origins[2]: expected an origin such as https://console.example.com, found \"https://a.b/c\""
        ),
        Row(
            "logging: {level: \"\\e[31m\\u202e\"}",
            "1:18: logging.level: expected trace, debug, info, notice, warning, "
                + "error or critical, found \"\\x1B[31m\\u202E\""),
    ]

    static let server: [Row] = [
        Row(
            "server: {listen: '0.0.0.0:8080'}",
            "1:18: server.listen: without auth.tokens only loopback addresses and Unix sockets are "
                + "allowed, found 0.0.0.0:8080; add a token, or set auth.allow_anonymous"),
        Row(
            "server:\n  listen: ['127.0.0.1:1', '[::]:8080']",
            "2:11: server.listen: without auth.tokens only loopback "
                + "addresses and Unix sockets are allowed, found [::]:8080; add a token, or set auth.allow_anonymous"
        ),
        Row(
            "server: {listen: 8080}",
            "1:18: server.listen: expected an address such as 127.0.0.1:8080, found \"8080\"; "
                + "did you mean 127.0.0.1:8080, or 0.0.0.0:8080 for all networks?"),
        Row(
            "server: {listen: 'example.com:80'}",
            "1:18: server.listen: expected an address such as 127.0.0.1:8080, found \"example.com:80\""),
        Row(
            "server: {listen: ['127.0.0.1:65536']}",
            "1:19: server.listen[0]: expected an address such as 127.0.0.1:8080, found \"127.0.0.1:65536\""),
        Row("server: {listen: []}", "1:18: server.listen: expected at least one item, found an empty list"),
        Row(
            "server: {max_content: 0, max_batch: 0}",
            "1:23: server.max_content: expected a size from 1 to 1024TiB",
            "1:37: server.max_batch: expected a whole number from 1 to 100000, found \"0\""),
        Row(
            "store: {retention: {succeeded: null, failed: 0s, max_task: 5}}",
            "1:46: store.retention.failed: expected a duration from 1s to 3650d",
            "1:50: store.retention.max_task: unknown setting; did you mean max_tasks?"),
        Row(
            "files: {downloads: [], min_free: -1}",
            "1:20: files.downloads: expected path of a directory, found a list",
            "1:34: files.min_free: expected a size such as 64MiB, found \"-1\""),
        Row("files: {uploads: ''}", "1:18: files.uploads: expected path of a directory, found \"\""),
        Row("callbacks: {secrets: [], unsigned: false}"),
        Row(
            "callbacks: {secrets: [whsec_AAAA, secret, whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=]}",
            "1:23: callbacks.secrets[0]: expected 24 to 64 bytes in Base64, found 3",
            "1:35: callbacks.secrets[1]: expected whsec_ or whsk_, then Base64",
            "1:43: callbacks.secrets[2]: expected a private key (whsk_), found a public key (whpk_) for receivers"),
    ]

    static let auth: [Row] = [
        Row("auth: {tokens: [{name: a, token: short}]}", "1:34: auth.tokens[0].token: expected at least 16 characters"),
        Row("auth: {tokens: [{name: a, token: ''}]}", "1:34: auth.tokens[0].token: expected a secret, found nothing"),
        Row("auth: {tokens: [{name: a}]}", "1:17: auth.tokens[0]: expected either token or sha256, found neither"),
        Row(
            "auth: {tokens: [{name: a, token: 0123456789abcdef, sha256: x}]}",
            "1:60: auth.tokens[0].sha256: expected 64 hexadecimal digits, found another value",
            "1:60: auth.tokens[0].sha256: expected either token or sha256, found both"),
        Row("auth: {tokens: [{token: 0123456789abcdef}]}", "1:17: auth.tokens[0]: name is required"),
        Row(
            "auth: {tokens: [{token: 0123456789abcdef}, {token: 0123456789abcdefg}]}",
            "1:17: auth.tokens[0]: name is required", "1:44: auth.tokens[1]: name is required"),
        Row(
            "auth: {tokens: [{name: a, token: 0123456789abcdef}, {name: a, token: 0123456789abcdefg}]}",
            "1:60: auth.tokens[1].name: duplicate value: an earlier item has the same"),
        Row(
            "auth: {tokens: [{name: a, token: [secret-in-a-list]}]}",
            "1:34: auth.tokens[0].token: expected a secret text, found a list"),
    ]

    static let sessions: [Row] = [
        Row(
            "sessions: {Github: {base_url: 'http://a'}}",
            "1:12: sessions.Github: expected a name: a lower-case letter, "
                + "then up to 63 lower-case letters, digits, _ and -; did you mean github?"),
        Row(
            "sessions: {1a: {base_url: 'http://a'}}",
            "1:12: sessions.1a: expected a name: a lower-case letter, then up "
                + "to 63 lower-case letters, digits, _ and -"),
        Row("sessions: {callbacks: {base_url: 'http://a', timeouts: {total: 5s}}}"),
        Row("sessions: {callbacks: {retry: {respect_retry_after: true, budget: {ratio: 1}}}}"),
        Row(
            "sessions: {callbacks: {allow_methods: [POST], redirects: {mode: follow}}}",
            "1:39: sessions.callbacks.allow_methods: callbacks are always sent with POST: remove it",
            "1:58: sessions.callbacks.redirects: callbacks never follow redirects: remove it"),
        Row(
            "sessions: {callbacks: {request: {compress: gzip}, response: {acceptable_statuses: [404]}}}",
            "1:44: sessions.callbacks.request.compress: callbacks are sent as they were signed: remove it",
            "1:83: sessions.callbacks.response.acceptable_statuses: callbacks are delivered with any status of 2xx: "
                + "remove it"),
        Row(
            "sessions: {callbacks: {retry: {max_attempts: 3, after_crash: fail}}}",
            "1:46: sessions.callbacks.retry.max_attempts: callbacks have their own schedule of attempts: remove it",
            "1:62: sessions.callbacks.retry.after_crash: callbacks have their own schedule of attempts: remove it"),
        Row(
            "sessions: {callbacks: {request: {arrays: comma, json: {pretty: true}}, forward_idempotency_key: true}}",
            "1:42: sessions.callbacks.request.arrays: callbacks have no parameters: remove it",
            "1:55: sessions.callbacks.request.json: callbacks have no parameters: remove it",
            "1:97: sessions.callbacks.forward_idempotency_key: "
                + "callbacks have no idempotency key of a client: remove it"),
        Row(
            "sessions: {callbacks: {response: {serializer: json, remove_nulls: true, "
                + "disposition: {over_limit: fail}}}}",
            "1:47: sessions.callbacks.response.serializer: "
                + "only the status of the response to a callback matters: remove it",
            "1:67: sessions.callbacks.response.remove_nulls: "
                + "only the status of the response to a callback matters: remove it",
            "1:99: sessions.callbacks.response.disposition.over_limit: "
                + "only the status of the response to a callback matters: remove it"),
        Row(
            "session_defaults: {request: {arrays: comma}, response: {serializer: json}, "
                + "forward_idempotency_key: true}\n"
                + "sessions: {callbacks: {request: {content_digest: sha-256, expect_continue: 1KiB}}}"),
        Row("sessions: {callbacks: {response: {disposition: {max_body: 1KiB, unacceptable: cancel}}}}"),
        Row(
            "session_defaults: {retry: {max_attempts: 3}, redirects: {limit: 1}, allow_methods: [GET]}\n"
                + "sessions: {callbacks: {}}"),
        Row(
            "default_session: callbacks",
            "1:18: default_session: expected another session; the session callbacks only sends callbacks"),
        Row("sessions: {a: }", "1:15: sessions.a.url_scope: expected any, because there is no base_url"),
        Row(
            "sessions: {a: {url_scope: base}}", "1:27: sessions.a.url_scope: expected any, because there is no base_url"
        ),
        Row("sessions: {a: {url_scope: any, base_url: null}}"),
        Row(
            "sessions: {a: {base_url: 'ftp://a'}}",
            "1:26: sessions.a.base_url: expected an absolute http or https URL: "
                + "The scheme is ftp, not http or https"),
        Row(
            "sessions: {a: {base_url: 'http://u:p@a/'}}",
            "1:26: sessions.a.base_url: expected an absolute http or https "
                + "URL: The URL contains user information; configure credentials instead"),
        Row(
            "sessions: {a: {base_url: /v1}}",
            "1:26: sessions.a.base_url: expected an absolute http or https URL: "
                + "The URL is relative, and there is no base URL"),
        Row(
            "default_session: b\nsessions: {a: {url_scope: any}}",
            "1:18: default_session: there is no session with this name"),
        Row(
            "tracing: {otlp: {session: b}}\nsessions: {a: {base_url: 'http://a/'}}",
            "1:27: tracing.otlp.session: there is no session with this name"),
        Row(
            "tracing: {otlp: {session: a}}\nsessions: {a: {url_scope: any}}",
            "1:27: tracing.otlp.session: expected a session with a base_url, found a, which has none"),
        // Checks across settings do not wait until other settings are right.
        Row(
            "tracing: {otlp: {session: a}}\nsessions: {a: {url_scope: any, timeuts: {}}}",
            "1:27: tracing.otlp.session: expected a session with a base_url, found a, which has none",
            "2:32: sessions.a.timeuts: unknown setting; did you mean timeouts?"),
        Row(
            "files: {downloads: data, mix_free: 5}",
            "1:20: files.downloads: tasks could replace data/errand.db, which belongs to the gateway; "
                + "expected a directory of its own, such as data/downloads",
            "1:26: files.mix_free: unknown setting; did you mean min_free?"),
        Row(
            "server: {listen: ['0.0.0.0:80', ':x']}",
            "1:18: server.listen: without auth.tokens only loopback addresses and Unix sockets are allowed, found "
                + "0.0.0.0:80; add a token, or set auth.allow_anonymous",
            "1:33: server.listen[1]: expected an address such as 127.0.0.1:8080, found \":x\""),
        Row(
            "tracing: {otlp: {session: callbacks}}",
            "1:27: tracing.otlp.session: expected another session; the session callbacks only sends callbacks"),
        Row(
            "tracing: {otlp: {session: a, path: 'http://b/t'}}\nsessions: {a: {base_url: 'http://a/', url_scope: any}}",
            "1:36: tracing.otlp.path: expected a path on the origin of base_url, such as v1/traces, "
                + "found \"http://b/t\""),
        Row(
            "tracing: {otlp: {session: a, path: 'v1:t'}}\nsessions: {a: {base_url: 'http://a/'}}",
            "1:36: tracing.otlp.path: expected a path on the origin of base_url, such as v1/traces, found \"v1:t\""),
        Row(
            "tracing: {otlp: {session: a, path: '//${HOST:-b}/t'}}\nsessions: {a: {base_url: 'http://a/'}}",
            "1:36: tracing.otlp.path: expected a path on the origin of base_url, such as v1/traces, found another value"
        ),
        Row(
            "tracing: {otlp: {session: a, path: /t}}\nsessions: {a: {base_url: 'http://a/b', url_scope: base}}",
            "1:36: tracing.otlp.path: expected a path below base_url, because url_scope is base, such as v1/traces, "
                + "found \"/t\""),
        Row("tracing: {otlp: {session: a, path: /t}}\nsessions: {a: {base_url: 'http://a/b'}}"),
        Row("tracing: {otlp: {session: a}}\nsessions: {a: {base_url: 'http://a/b', url_scope: base}}"),
        Row(
            "tracing: {otlp: {session: a}}\nsessions: {a: {base_url: 'http://a/', allow_methods: [GET, PUT]}}",
            "1:27: tracing.otlp.session: expected a session whose allow_methods contain POST, found a, "
                + "which allows GET, PUT"),
        Row(
            "tracing: {otlp: {session: a}}\nsessions: {a: {base_url: 5}}",
            "2:26: sessions.a.base_url: expected an absolute http or https URL: "
                + "The URL is relative, and there is no base URL; begin it with https://"),
        Row(
            "tracing: {otlp: {interval: 1ms}}", "1:17: tracing.otlp: session is required",
            "1:28: tracing.otlp.interval: expected a duration from 100ms to 10m"),
        Row(
            "session_defaults: {base_url: 'http://a', timeuts: {}}",
            "1:42: session_defaults.timeuts: unknown setting; did you mean timeouts?"),
    ]

    @Test("All problems are reported, each with its location and setting", arguments: structure + scalars)
    func values(row: Row) {
        #expect(Sample.problems(row.yaml) == row.problems.map { "config.yaml:" + $0 })
    }

    @Test(
        "Settings are checked together, and those of later versions are refused", arguments: server + auth + sessions
    )
    func semantics(row: Row) {
        #expect(Sample.problems(row.yaml) == row.problems.map { "config.yaml:" + $0 })
    }

    @Test("An invalid value behind an alias is reported at its own location")
    func alias() {
        let yaml =
            "sessions:\n  a: {base_url: 'http://a', timeouts: &t {idle: fast}}\n  b: {base_url: 'http://b', timeouts: *t}\n"
        #expect(
            Sample.problems(yaml) == [
                "config.yaml:2:49: sessions.a.timeouts.idle: expected a duration such as 30s, found \"fast\"",
                "config.yaml:2:49: sessions.b.timeouts.idle: expected a duration such as 30s, found \"fast\"",
            ])
    }

    @Test("At most a thousand problems are reported")
    func many() {
        let hosts = Array(repeating: "'a b'", count: 1500).joined(separator: ", ")
        let problems = Sample.problems("server: {hosts: [\(hosts)]}")
        #expect(problems.count == 1001)
        #expect(problems.last?.hasSuffix("further problems are not listed") == true)
    }

    @Test("Names that are refused as not available are not settings")
    func unavailable() {
        func check(_ group: SettingGroupShape) {
            let names = group.settings.map(\.name)
            #expect(Set(names).count == names.count)
            #expect(Set(names).isDisjoint(with: group.unavailable))
            for setting in group.settings {
                check(setting.shape)
                #expect(setting.summary.hasSuffix("."))
            }
        }
        func check(_ shape: SettingShape) {
            switch shape {
            case .group(let group), .oneOf(let group): check(group)
            case .list(let item, _), .map(_, let item), .nullable(let item): check(item)
            case .either(let first, let second):
                check(first)
                check(second)
            case .scalar, .document: break
            }
        }
        check(GatewayConfiguration.settings.shape)
    }
}
