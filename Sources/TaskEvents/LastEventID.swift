/// The last event that a client has seen, as it says when it comes back (WHATWG HTML §9.2.4, `Last-Event-ID`).
package struct LastEventID: Sendable, Hashable {
    /// The number of the event; 0 for somebody who has seen none and wants all.
    package let number: Int64

    /// Reads decimal digits, `nil` when there is anything else or the number is too large for an event.
    package init?(_ text: String) {
        let digits = text.utf8
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(text)
        else { return nil }
        self.number = number
    }
}
