extension String {
    /// Returns the text if it has at most `limit` bytes in UTF-8, otherwise a prefix of whole characters, followed by
    /// `…`.
    package func shortened(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(limit, 0))
        while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
