extension String {
    /// Returns the text of ASCII characters; other bytes are a fault of the program and give an empty text.
    package static func ascii(_ characters: Span<UInt8>) -> String {
        if let valid = try? UTF8Span(validating: characters) { return String(copying: valid) }
        return ""
    }
}
