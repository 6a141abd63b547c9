extension String {
    /// Creates the text of bytes; returns `nil` if they are not UTF-8.
    package init?(validating bytes: Span<UInt8>) {
        if let valid = try? UTF8Span(validating: bytes) {
            self.init(copying: valid)
        } else {
            return nil
        }
    }
}
