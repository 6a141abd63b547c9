/// The last event that a client has received, sent when it reconnects (WHATWG HTML §9.2.4, `Last-Event-ID`).
package struct LastEventID: Sendable, Hashable {
    /// The number of the event; 0 for a client that has received none and requests all.
    package let number: Int64

    /// Parses decimal digits; `nil` for any other text, or a number too large for an event.
    package init?(_ text: String) {
        let digits = text.utf8
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(text)
        else { return nil }
        self.number = number
    }
}
