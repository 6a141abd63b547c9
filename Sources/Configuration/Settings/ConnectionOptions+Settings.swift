import SessionCore
import Transfer
import YAML

extension ConnectionOptions {
    /// The section `connection`: the options, and what else belongs to connections.
    static let settings = SettingGroup(
        SessionConfiguration(name: ""),
        [
            Setting(
                "http", \.connection.version, .choice(),
                """
                The version of HTTP. `auto`: HTTP/2 where TLS negotiates it. `2`: HTTP/2, on `http://` with prior \
                knowledge.
                """),
            Setting(
                "max_per_host", \.connection.maxConnectionsPerHost, .integer(1...10_000),
                "The most connections to one host at a time; `limits.concurrent` counts tasks."),
            Setting(
                "max_idle", \.connection.maxIdleConnections, .integer(0...10_000),
                "The most idle connections kept open."),
            Setting(
                "proxy", \.connection.proxy, .nullable(.proxy),
                """
                The proxy: `http://`, `https://`, `socks5://` or `socks5h://` (which looks names up itself), with its \
                port. A user name and a password may stand before the host, percent-encoded; they are never shown. \
                Null for none: the environment's proxies are never used.
                """),
            Setting(
                "resolve", \.connection.fixedAddresses, .fixedAddresses,
                """
                Addresses of hosts that the name service is not asked for: `api.example.com:443` to one or several, \
                tried in order. A host without a port stands for the ports 80 and 443. They are added to those of \
                `session_defaults`; null removes one of them.
                """),
            Setting(
                "interface", \.connection.interface, .nullable(.networkInterface),
                "The interface, or its address, that connections leave from; null for the system's choice."),
            Setting(
                "compression", \.acceptsCompression, .boolean,
                "Whether compressed responses are asked for, and decompressed when they come."),
        ])
}
