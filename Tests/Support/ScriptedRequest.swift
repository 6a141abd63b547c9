/// A request as a ``ScriptedServer`` received it, byte for byte.
package struct ScriptedRequest: Sendable {
    /// The number of the request's connection, from 0.
    package var connection: Int
    /// The request line and the header section, without the empty line.
    package var head: String
    /// The content, with its chunks joined.
    package var body: [UInt8]
    /// The number of bytes on the wire.
    package var wireBytes: Int

    /// The request line.
    package var line: String {
        head.split(separator: "\r\n").first.map(String.init) ?? ""
    }

    /// The header lines, in order.
    package var fields: [String] {
        head.split(separator: "\r\n").dropFirst().map(String.init)
    }

    /// The value of the first field with this name, in any case.
    package subscript(name: String) -> String? {
        for field in fields {
            let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                return String(parts[1].drop { $0 == " " })
            }
        }
        return nil
    }

    /// Returns the bytes of a representation that the header field `Range` asks for; `nil` without a satisfiable range.
    package func byteRange(of size: Int) -> Range<Int>? {
        guard let value = self["Range"] else { return nil }
        let ends = value.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first < size else { return nil }
        return first..<min((Int(ends[1]) ?? size - 1) + 1, size)
    }
}
