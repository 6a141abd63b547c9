/// A notation of an address that a gateway must not connect to, and the expected outcome.
struct ForgedTarget: Sendable, CustomStringConvertible {
    /// The URL, with the placeholder `PORT` for the port of the server that must not be reached.
    let url: String
    /// The outcome of a task with this URL.
    let verdict: Verdict
    /// The outcome of a task that is redirected to it.
    let redirected: Verdict

    /// The outcome of a task.
    enum Verdict: Sendable, Hashable {
        /// Refused on creation: 422.
        case refused
        /// Failed with this code.
        case fails(String)
    }

    init(_ url: String, _ verdict: Verdict, redirected: Verdict? = nil) {
        self.url = url
        self.verdict = verdict
        self.redirected = redirected ?? (verdict == .refused ? .fails("bad_url") : verdict)
    }

    var description: String { url.debugDescription }

    /// Returns the URL with a port.
    func url(port: UInt16) -> String {
        url.replacing("PORT", with: "\(port)")
    }

    /// Returns the URL with a port, as a JSON string.
    func quotedURL(port: UInt16) -> String {
        var quoted = "\""
        for scalar in url(port: port).unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension ForgedTarget {
    /// All samples.
    static let all = denied + malformed + foreignSchemes

    /// Valid URLs that the policy denies, as the address is not public.
    private static let denied =
        (loopback + unspecified + privateNetworks + linkLocal + specialPurpose + ipv6 + embedded).map {
            ForgedTarget("http://\($0):PORT/", .fails("egress_denied"))
        } + names.map { ForgedTarget("http://\($0)/", .fails("egress_denied")) }

    private static let loopback = [
        "127.0.0.1", "127.1", "127.0.1", "127.0.0.2", "127.127.127.127", "127.255.255.254", "2130706433", "0x7f000001",
        "0x7F000001", "0X7f000001", "017700000001", "0177.0.0.1", "0177.1", "0177.0.1", "00000177.0.0.1", "0x7f.0.0.1",
        "0x7f.1", "0x7f.0x0.0x0.0x1", "0x7f.0.0.01", "127.0x1", "127.0.0x1", "127.000.000.001", "127.0.0.01",
        "127.0.0.0x1", "0177.0000000.0x0.1", "2130706434", "localhost", "LOCALHOST", "LocalHost", "localhost.",
        "foo.localhost",
    ]

    private static let unspecified = ["0", "00", "0x0", "0.0.0.0", "0.0.0.1", "0.1", "0x0.0x0", "0.255.255.255"]

    private static let privateNetworks = [
        "10.0.0.1", "10.255.255.255", "10.1", "012.0.0.1", "0xa000001", "167772161", "172.16.0.1", "172.31.255.255",
        "0xac.0x10.1", "192.168.0.1", "192.168.255.255", "3232235521", "0xc0a80001", "0300.0250.0.1", "192.168.257",
        "100.64.0.1", "100.127.255.255", "100.100.100.200",
    ]

    private static let linkLocal = [
        "169.254.169.254", "169.254.43518", "169.16689662", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
        "0xa9.0xfe.0xa9.0xfe", "0251.254.169.254", "169.254.170.2", "169.254.0.1", "169.254.255.255", "192.0.0.192",
    ]

    private static let specialPurpose = [
        "192.0.0.1", "192.0.0.8", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255",
        "192.88.99.1", "224.0.0.1", "232.1.1.1", "239.255.255.250", "240.0.0.1", "255.255.255.254", "255.255.255.255",
        "4294967295", "0xffffffff", "037777777777",
    ]

    private static let ipv6 = [
        "[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0001]", "[::]", "[0::0]",
        "[::2]",
        "[fc00::1]", "[fd00::1]", "[fd00:ec2::254]", "[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", "[FD00::1]",
        "[fe80::1]", "[febf::1]", "[fec0::1]", "[feff::1]", "[ff02::1]", "[ff0e::1]", "[2001:db8::1]", "[3fff::1]",
        "[100::1]", "[2001:2::1]", "[2001:10::1]", "[4000::1]", "[5f00::1]", "[e000::1]", "[1::1]",
    ]

    /// IPv4 addresses in IPv6: mapped, translated, compatible, NAT64, 6to4, Teredo.
    private static let embedded = [
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]", "[0:0:0:0:0:ffff:127.0.0.1]",
        "[::ffff:0.0.0.0]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]",
        "[::ffff:255.255.255.255]", "[::ffff:0:127.0.0.1]", "[::ffff:0:a9fe:a9fe]", "[::127.0.0.1]", "[::7f00:1]",
        "[::169.254.169.254]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]",
        "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:7f00:1::1]",
        "[2002:a9fe:a9fe::1]", "[2002:c0a8:1::1]", "[2002:a00:1::]", "[2001:0:7f00:1::]",
        "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2001:0:4136:e378:8000:63bf:5601:5601]",
    ]

    /// Names resolved by the name server of the test: `a-10-0-0-1.example` is 10.0.0.1, others 127.0.0.1.
    private static let names = [
        "attacker.example:PORT", "127.0.0.1.attacker.example:PORT", "metadata.google.internal:PORT",
        "169.254.169.254.attacker.example:PORT", "xn--lcalhost-54a.example:PORT", "a_b.attacker.example:PORT",
        "a-0-0-0-0.example:PORT", "a-10-0-0-1.example:PORT", "a-172-16-0-1.example:PORT",
        "a-192-168-0-1.example:PORT", "a-169-254-169-254.example:PORT", "a-100-64-0-1.example:PORT",
        "a-224-0-0-1.example:PORT", "a-255-255-255-255.example:PORT",
        // Text before an `@` is not user information in a query or a fragment.
        "public.example:PORT?@127.0.0.1", "public.example:PORT#@127.0.0.1", "public.example:PORT/@127.0.0.1",
        "public.example:PORT//127.0.0.1", "public.example:PORT/#http://127.0.0.1:PORT",
    ]

    /// Ambiguous or invalid URLs.
    private static let malformed =
        [
            // User information, and similar text.
            "user@127.0.0.1:PORT", "user:password@127.0.0.1:PORT", "public.example@127.0.0.1:PORT",
            "public.example:80@127.0.0.1:PORT", "127.0.0.1:PORT@public.example", "public.example%40127.0.0.1:PORT",
            "a@b@127.0.0.1:PORT", "@127.0.0.1:PORT", ":@127.0.0.1:PORT", "public.example\\@127.0.0.1:PORT",
            "127.0.0.1:PORT\\@public.example", "127.0.0.1\\.public.example",
            // Other characters for digits, letters and dots.
            "127。0。0。1:PORT", "127．0．0．1:PORT", "127｡0｡0｡1:PORT", "１２７.0.0.1:PORT", "①②⑦.⓪.⓪.①:PORT",
            "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT", "localhoſt:PORT", "lo\u{AD}calhost:PORT", "loc\u{200B}alhost:PORT", "ｌocalhost:PORT",
            "𝟏𝟐𝟕.𝟎.𝟎.𝟏:PORT", "²¹³⁰⁷⁰⁶⁴³³:PORT",
            // Percent-encoding.
            "127%2e0%2e0%2e1:PORT", "%31%32%37.0.0.1:PORT", "localhos%74:PORT", "127.0.0.1%00.public.example:PORT",
            "127.0.0.1%20:PORT", "127%E3%80%820%E3%80%820%E3%80%821:PORT", "%5B::1%5D:PORT",
            // Invalid numbers.
            "127.0.0.1.:PORT", "1.2.3.4.5:PORT", "256.0.0.1:PORT", "127.0.0.256:PORT", "4294967296:PORT",
            "08.0.0.1:PORT",
            "127..1:PORT", ".127.0.0.1:PORT", "0x:PORT", "0x7g.0.0.1:PORT", "0x100000000:PORT", "127.0.65536:PORT",
            // Brackets and zones.
            "[::1:PORT", "::1:PORT", "[::1]x:PORT", "[127.0.0.1]:PORT", "[fe80::1%25lo]:PORT", "[fe80::1%lo]:PORT",
            "[::1%25lo]:PORT", "[::ffff:127.0.0.1.]:PORT", "[::ffff:0177.0.0.1]:PORT", "[v1.::1]:PORT", "[]:PORT",
            // Ports.
            "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:0x50", "127.0.0.1:80:80", "127.0.0.1: 80",
            // White space and control characters.
            " 127.0.0.1:PORT", "127.0.0.1 :PORT", "127.0.0.1\t:PORT",
            // No host.
            "", ":PORT", "/127.0.0.1:PORT",
        ].map { ForgedTarget("http://\($0)/", .refused) }
        + [
            ForgedTarget("http:127.0.0.1:PORT/", .refused),
            ForgedTarget("http:/127.0.0.1:PORT/", .refused),
            ForgedTarget("http:\\\\127.0.0.1:PORT\\", .refused),
            ForgedTarget("//127.0.0.1:PORT/", .refused, redirected: .fails("egress_denied")),
            ForgedTarget("//[::1]:PORT/", .refused, redirected: .fails("egress_denied")),
            ForgedTarget("//localhost:PORT/", .refused, redirected: .fails("egress_denied")),
        ]

    private static let foreignSchemes = [
        "file:///etc/passwd", "file://127.0.0.1/etc/passwd", "gopher://127.0.0.1:PORT/_GET", "dict://127.0.0.1:PORT/d",
        "ftp://127.0.0.1:PORT/", "ftps://127.0.0.1:PORT/", "ldap://127.0.0.1:PORT/", "smb://127.0.0.1:PORT/x",
        "tftp://127.0.0.1:PORT/x", "telnet://127.0.0.1:PORT", "scp://127.0.0.1:PORT/x", "sftp://127.0.0.1:PORT/x",
        "imap://127.0.0.1:PORT/", "smtp://127.0.0.1:PORT/", "rtsp://127.0.0.1:PORT/", "mqtt://127.0.0.1:PORT/x",
        "ws://127.0.0.1:PORT/", "unix:///run/x.sock", "data:text/plain,x", "javascript:alert(1)",
        "jar:http://127.0.0.1:PORT/!/", "httpx://127.0.0.1:PORT/",
    ].map { ForgedTarget($0, .refused, redirected: .fails("unsupported_url")) }
}
