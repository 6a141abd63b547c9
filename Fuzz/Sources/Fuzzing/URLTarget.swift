import ErrandTransfer

extension FuzzTarget {
    /// Fuzzes URLs, and URI references on the following lines that are resolved against them.
    ///
    /// Parsing normalizes, so that parsing the result again changes nothing.
    static let url = FuzzTarget("url", maxBytes: 1024) { input in
        let lines = InputText.lines(input).map { InputText.text($0) }
        guard let base = try? HTTPURL(lines[0]) else { return }
        try judge(base)
        for reference in lines.dropFirst() {
            let added = base.addingQuery(reference)
            try judge(added)
            try expect(added.path == base.path && added.isSameOrigin(as: base), "a query changes nothing else")
            guard let resolved = try? base.resolving(reference) else { continue }
            try judge(resolved)
            let hasAuthority = reference.contains("//") || reference.contains(":") || reference.contains("\\")
            try expect(hasAuthority || resolved.isSameOrigin(as: base), "a relative reference stays: \(resolved)")
            try expect(!resolved.isBelow(base) || resolved.isSameOrigin(as: base), "below is at the same origin")
        }
        try expect(try base.resolving("") == base, "the empty reference is the base")
    }

    private static func judge(_ url: HTTPURL) throws {
        let text = url.string
        try expect(text.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "only visible ASCII is dialled: \(text)")
        try expect(!text.utf8.contains { "\"<>\\^`{|}#".utf8.contains($0) }, "only characters of RFC 3986: \(text)")
        try expect(!url.host.isEmpty && !url.host.utf8.contains(UInt8(ascii: "@")), "there is a host: \(text)")
        try expect(url.path.hasPrefix("/"), "a path begins with a slash: \(text)")
        try expect(
            !url.path.split(separator: "/").contains { $0 == "." || $0 == ".." }, "there are no dot segments: \(text)")
        try expect(text == "\(url.origin)\(url.target)", "the parts make up the whole: \(text)")
        let again = try HTTPURL(text)
        try expect(again == url && again.origin == url.origin && again.target == url.target, "it is normal: \(text)")
    }
}
