import ErrandText
import ErrandTime

/// The position at which a page of a list ended, for the client to request the next page.
///
/// It contains the last task's identifier and a fingerprint of the filters, so that a token sent with other filters is
/// an error. It is not secret and grants no access.
package struct PageToken: Sendable, Hashable, LosslessStringConvertible {
    private let last: TaskID
    private let filters: UInt64

    private static let version: UInt8 = 1

    /// Creates the token that follows a page.
    package init(last: TaskID, query: TaskQuery) {
        self.last = last
        filters = query.fingerprint
    }

    /// Returns the last task of the previous page if that page had the filters of `query`; `nil` otherwise.
    package func position(in query: TaskQuery) -> TaskID? {
        filters == query.fingerprint ? last : nil
    }

    /// 34 characters of base64url (RFC 4648 §5).
    package var description: String {
        var bytes: [UInt8] = [Self.version]
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: filters >> shift))
        }
        bytes += last.bytes
        return Base64URL.encode(bytes)
    }

    /// Reads a token; returns `nil` for any text that this version does not create.
    package init?(_ text: String) {
        guard text.utf8.count == 34, let bytes = Base64URL.decode(text), bytes.count == 25, bytes[0] == Self.version,
            let last = TaskID(bytes: bytes[9...])
        else { return nil }
        self.last = last
        filters = bytes[1..<9].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension TaskQuery {
    /// A hash of 64 bits that is equal for equal filters in every process (FNV-1a).
    ///
    /// The page's size is not a filter.
    fileprivate var fingerprint: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ text: String) {
            // A terminator that UTF-8 never contains separates adjacent texts.
            for byte in Array(text.utf8) + [0xFF] {
                hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            }
        }
        add("states \(states.count)")
        for state in states.map(\.rawValue).sorted() { add(state) }
        // Each list begins with its length, so that no value can be mistaken for the next part.
        add("sessions \(sessions?.count ?? -1)")
        if let sessions {
            for session in sessions.sorted() { add(session) }
        }
        add("kind \(kind?.rawValue ?? "")")
        if let parent { add("parent \(parent)") }
        add("labels \(labels.count)")
        for (key, value) in labels.sorted(by: { $0.key < $1.key }) {
            add(key)
            add(value)
        }
        add("after \(text(of: .createdAfter) ?? "")")
        add("before \(text(of: .createdBefore) ?? "")")
        if let time = text(of: .finishedAfter) { add("finished after \(time)") }
        if let time = text(of: .finishedBefore) { add("finished before \(time)") }
        if let schedule { add("schedule \(schedule)") }
        if let isRetried { add("retried \(isRetried)") }
        if let errorCode { add("error \(errorCode)") }
        if let statuses { add("status \(statuses.lowerBound) \(statuses.upperBound)") }
        if let method { add("method \(method)") }
        return hash
    }
}
