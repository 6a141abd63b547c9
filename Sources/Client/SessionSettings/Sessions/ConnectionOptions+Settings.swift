import ErrandSessionCore
import ErrandSettings
import ErrandTransfer
import ErrandYAML

extension ConnectionOptions {
    /// The section `connection`: the options, and other settings of connections.
    static let settings = SettingGroup(
        SessionConfiguration(name: ""),
        [
            Setting(
                "http", \.connection.version, .choice(),
                """
                The version of HTTP. `auto`: HTTP/2 if TLS negotiates it. `2`: HTTP/2, on `http://` with prior \
                knowledge.
                """),
            Setting(
                "max_per_host", \.connection.maxConnectionsPerHost, .integer(1...10_000),
                "The most simultaneous connections to one host. `limits.concurrent` limits tasks instead."),
            Setting(
                "max_idle", \.connection.maxIdleConnections, .integer(0...10_000),
                """
                The most idle connections that are kept open. At least as many as `max_per_host` are kept, or \
                connections would be closed while they are needed.
                """),
            Setting(
                "proxy", \.connection.proxy, .nullable(.proxy),
                """
                The proxy with its port: `http://`, `https://`, `socks5://` or `socks5h://` (which resolves names \
                itself). A percent-encoded user name and password may precede the host; they are never shown. Null \
                for none: proxies of the environment are never used.
                """),
            Setting(
                "resolve", \.connection.fixedAddresses, .fixedAddresses,
                """
                Fixed addresses of hosts, used instead of name lookup: `api.example.com:443` with one address, or \
                several that are tried in order. A host without a port stands for the ports 80 and 443, and for the \
                port of `base_url`; an entry with one of these ports takes precedence. Entries are added to those of \
                `session_defaults`; null removes an entry. At most 1,000 in one mapping, with up to 32 addresses \
                each, and 200,000 hosts with a port in all sessions together.
                """),
            Setting(
                "interface", \.connection.interface, .nullable(.networkInterface),
                """
                The network interface, or its address, from which connections are made; null for the system's \
                choice.
                """),
            Setting(
                "compression", \.acceptsCompression, .boolean,
                "If true, compressed responses are requested, and decompressed on receipt."),
        ])
}
