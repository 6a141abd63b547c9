import ErrandText

/// The `Host` names accepted without a token: loopback names and the configured ones.
///
/// A page can make its own name resolve to 127.0.0.1 (DNS rebinding); the browser then sends that name in `Host`.
struct HostNames: Sendable {
    private let names: Set<String>

    /// - Parameter names: Names and addresses besides the loopback ones, without a port.
    init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Returns true if the value of `Host`, with or without a port, is one of the names.
    func contains(authority: String?) -> Bool {
        guard let authority else { return false }
        let host = Self.host(of: authority)
        // The usual case first, which needs no copy.
        guard !Self.isLoopback(host) else { return true }
        let name = host.lowercased()
        return name == "localhost" || name == "[::1]" || names.contains(name)
    }

    private static func host(of authority: String) -> Substring {
        let bytes = authority.utf8
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            return authority[...end]
        }
        return authority[..<(bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex)]
    }

    /// Returns true for 127.0.0.0/8 in the usual notation, four decimal numbers.
    private static func isLoopback(_ host: Substring) -> Bool {
        var rest = host.utf8
        for number in 0..<4 {
            let end = rest.firstIndex(of: UInt8(ascii: ".")) ?? rest.endIndex
            // The last number ends the text, and only the last.
            guard (end == rest.endIndex) == (number == 3) else { return false }
            let part = rest[..<end]
            guard UInt8(decimalDigits: Substring(part)) != nil else { return false }
            guard number > 0 || part.elementsEqual("127".utf8) else { return false }
            if end != rest.endIndex { rest = rest[rest.index(after: end)...] }
        }
        return true
    }
}
