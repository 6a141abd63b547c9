extension String {
    /// This text in one line, with U+FFFD in place of invisible characters.
    ///
    /// With control characters, a value of another process could forge a line of the log or manipulate a terminal.
    var visible: String {
        // Most texts are printable ASCII, which is neither copied nor looked up.
        guard utf8.contains(where: { !(0x20...0x7E).contains($0) }) else { return self }
        var line = String.UnicodeScalarView()
        line.append(contentsOf: unicodeScalars.map { $0.isInvisible ? "\u{FFFD}" : $0 })
        return String(line)
    }
}

extension Unicode.Scalar {
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
