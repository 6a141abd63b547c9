/// The requirement for every header field that is sent.
enum HTTPFieldValue {
    /// Returns true if a value has no control character except tab, so that it cannot begin another line (RFC 9110
    /// §5.5).
    static func isOneLine(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }
}
