import ErrandSupport

/// Sessions with a secret in each possible place, and an upstream that also sends secrets.
struct SecretSessions {
    /// The name of each session and its lines in flow style.
    let sessions: [(name: String, yaml: String)]

    init(upstream: String) {
        let secret = Canary.secret
        let anywhere = "egress: { private_networks: allow, trust_proxy: true }"
        let settings = [
            "basic": "credentials: { basic: { username: u, password: \(secret("basic")) } }",
            "digest": "credentials: { digest: { username: u, password: \(secret("digest")) } }",
            "bearer": "credentials: { bearer: { token: \(secret("bearer")) } }",
            "key-in-header": "credentials: { api_key: { header: X-Own, value: \(secret("api-key-header")) } }",
            "key-in-query": "credentials: { api_key: { query: own, value: \(Self.keyInQuery) } }",
            "oauth2": Self.oauth2("\(upstream)/token"),
            "oauth2-refused": Self.oauth2("\(upstream)/refused"),
            "oauth2-unreachable": Self.oauth2("http://127.0.0.1:1/token") + ", \(anywhere)",
            "aws":
                "credentials: { aws_sigv4: { region: r, service: s, access_key: id, secret_key: \(secret("aws")), session_token: \(secret("aws-session")) } }",
            "inserted": "headers: { X-Partner: \"${PARTNER:-\(secret("inserted-header"))}\" }",
            "headers": "headers: { X-Api-Key: \(secret("own-header")), Authorization: \(secret("own-authorization")) }",
            "cookies": "cookies: persistent",
            "proxy": "connection: { proxy: \"http://u:\(secret("proxy"))@127.0.0.1:1\" }, \(anywhere)",
        ]
        var sessions = settings.sorted { $0.key < $1.key }.map { name, line in
            (name: name, yaml: "\(name): { base_url: \"\(upstream)/\", url_scope: origin, \(line) }")
        }
        let key = "credentials: { api_key: { query: own, value: \(Self.keyInQuery) } }"
        sessions.append(("unreachable", "unreachable: { base_url: \"http://127.0.0.1:1/\", \(key) }"))
        let overTLS = upstream.replacing("http:", with: "https:")
        let bearer = "credentials: { bearer: { token: \(secret("bearer-tls")) } }"
        sessions.append(("no-tls", "no-tls: { base_url: \"\(overTLS)/\", timeouts: { connect: 1s }, \(bearer) }"))
        self.sessions = sessions
    }

    private static let keyInQuery = Canary.secret("api-key-query")

    private static func oauth2(_ url: String) -> String {
        "credentials: { oauth2: { token_url: \"\(url)\", client_id: i, client_secret: \(Canary.secret("oauth2")) } }"
    }

    /// Serves the upstream: it succeeds, redirects and refuses, and sets a cookie each time.
    @Sendable static func serve(_ connection: ScriptedConnection) throws {
        let cookie = "Set-Cookie: sid=\(Canary.secret("set-cookie")); Path=/; Max-Age=1000"
        while true {
            let path = try connection.readRequest().line
            if path.contains("/token") {
                try connection.respond(
                    "200 OK", ["Content-Type: application/json"],
                    body: #"{"access_token":"\#(Canary.secret("issued-token"))","token_type":"Bearer"}"#)
            } else if path.contains("/redirect") {
                let location = path.contains("own=") ? "/ok?own=\(keyInQuery)" : "/ok"
                try connection.respond("302 Found", ["Location: \(location)", cookie])
            } else if path.contains("/refused") {
                try connection.respond("403 Forbidden", [cookie], body: "no")
            } else {
                try connection.respond("200 OK", ["Content-Type: application/json", cookie], body: "{}")
            }
        }
    }

    /// Returns the tasks as JSON: a success, a redirect and a refusal, without and with secrets of their own.
    func tasks(of session: String) -> [String] {
        let secret = Canary.secret
        let headers = [
            "Authorization": "Bearer \(secret("task-authorization"))", "Cookie": "a=\(secret("task-cookie"))",
            "X-Api-Key": secret("task-api-key"), "X-Auth-Token": secret("task-auth-token"),
        ].map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
        return ["ok", "redirect", "refused"].flatMap { path in
            ["", #","method":"POST","headers":{\#(headers)}"#].map {
                #"{"session":"\#(session)","path":"\#(path)"\#($0)}"#
            }
        }
    }
}
