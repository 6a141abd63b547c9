import ErrandText

/// The path segments `.` (this folder) and `..` (its parent), which must not reach a server.
enum DotSegments {
    /// Removes the segments as RFC 3986 §5.2.4 describes, also if their dots are written `%2e`.
    static func removed(from path: String) -> String {
        guard mayHaveDotSegment(path) else { return path }
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(isAbsolute ? 1 : 0)
        var kept: [Substring] = []
        var endsOpen = false
        for segment in segments {
            endsOpen = false
            switch kind(of: segment) {
            case .name:
                kept.append(segment)
            case .here:
                endsOpen = true
            case .up:
                _ = kept.popLast()
                endsOpen = true
            }
        }
        // "a/." and "a/.." are folders, so the result ends in a slash.
        if endsOpen { kept.append("") }
        return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
    }

    /// Returns true if a server would find a `..` in `path` that decodes `%2f`, `\` and `%5c` as slashes, and removes the
    /// parameters of segments, as servlet containers do (`..;x=1`, RFC 3986 §3.3).
    static func climbs(_ path: some StringProtocol) -> Bool {
        let decoded = PercentCoding.decode(Array(path.utf8))
        return decoded.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .contains { $0.prefix { $0 != UInt8(ascii: ";") }.elementsEqual("..".utf8) }
    }

    /// Returns false if no segment of `path` begins like a dot segment.
    private static func mayHaveDotSegment(_ path: String) -> Bool {
        var isFirst = true
        for byte in path.utf8 {
            if isFirst, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
            isFirst = byte == UInt8(ascii: "/")
        }
        return false
    }

    private enum Kind {
        case name, here, up
    }

    private static func kind(of segment: Substring) -> Kind {
        // The longest spelling is "%2e%2e".
        guard segment.utf8.count <= 6, let first = segment.utf8.first, ".%".utf8.contains(first) else { return .name }
        return switch segment.lowercased().replacing("%2e", with: ".") {
        case ".": .here
        case "..": .up
        default: .name
        }
    }
}
