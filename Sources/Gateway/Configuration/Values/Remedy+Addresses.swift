import ErrandSettings
import ErrandText

extension Remedy {
    /// Returns the address for a bare port, a port after a colon, an address without a port, or a URL.
    static func listeningAddress(_ text: String) -> String? {
        if let port = UInt16(decimalDigits: rest(of: text, after: ["*:", ":"])) {
            return meant("127.0.0.1:\(port), or 0.0.0.0:\(port) for all networks")
        }
        if text.hasPrefix("/") || text.hasPrefix("unix:") {
            return "write a Unix socket as {unix: /run/errand.sock}, in ERRAND_LISTEN as unix:/run/errand.sock"
        }
        let authority = rest(of: text, after: ["http://", "https://"]).prefix { $0 != "/" }
        let address = TCPAddress(String(authority)) ?? TCPAddress("\(authority):8080")
        return address.map { meant($0.description) }
    }

    /// Returns a text without the first of some prefixes that it has.
    private static func rest(of text: String, after prefixes: [String]) -> Substring {
        text.dropFirst(prefixes.first(where: { text.hasPrefix($0) })?.count ?? 0)
    }
}
