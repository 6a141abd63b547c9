import ErrandText
package import ErrandTime

/// The position at which a page of a list ended, for the client to request the next page.
///
/// It contains the last task's identifier and a fingerprint of the filters, so that a token sent with other filters or
/// in another order is an error. In an order by end it also contains the time of the end. It is not secret and grants
/// no access.
package struct PageToken: Sendable, Hashable, LosslessStringConvertible {
    private let last: TaskID
    /// The time at which the last task ended, in an order by end.
    package let finishedAt: Timestamp?
    private let filters: UInt64

    /// The first byte of a token without a time of an end.
    private static let version: UInt8 = 1
    /// The first byte of a token with the time of an end.
    private static let versionWithEnd: UInt8 = 2

    /// Creates the token that follows a page.
    ///
    /// - Parameter finishedAt: The time at which the last task ended.
    package init(last: TaskID, finishedAt: Timestamp? = nil, query: TaskQuery) {
        self.last = last
        self.finishedAt = query.order.isByEnd ? finishedAt : nil
        filters = query.fingerprint
    }

    /// Returns the last task of the previous page if that page had the filters of `query`; `nil` otherwise.
    package func position(in query: TaskQuery) -> TaskID? {
        filters == query.fingerprint ? last : nil
    }

    /// 34 characters of base64url (RFC 4648 §5), or 44 with the time of an end.
    package var description: String {
        var bytes: [UInt8] = [finishedAt == nil ? Self.version : Self.versionWithEnd]
        bytes += Self.bytes(of: filters) + last.bytes
        if let finishedAt { bytes += Self.bytes(of: UInt64(bitPattern: finishedAt.milliseconds)) }
        return Base64URL.encode(bytes)
    }

    /// Returns the bytes of a number, highest first.
    private static func bytes(of number: UInt64) -> [UInt8] {
        stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(of bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a token; returns `nil` for any text that this version does not create.
    package init?(_ text: String) {
        guard text.utf8.count == 34 || text.utf8.count == 44, let bytes = Base64URL.decode(text),
            (bytes.count == 25 && bytes[0] == Self.version) || (bytes.count == 33 && bytes[0] == Self.versionWithEnd),
            let last = TaskID(bytes: bytes[9..<25])
        else { return nil }
        self.last = last
        filters = Self.number(of: bytes[1..<9])
        if bytes.count == 33 {
            let milliseconds = Int64(bitPattern: Self.number(of: bytes[25...]))
            guard (Timestamp.earliest.milliseconds...Timestamp.latest.milliseconds).contains(milliseconds) else {
                return nil
            }
            finishedAt = Timestamp(milliseconds: milliseconds)
        } else {
            finishedAt = nil
        }
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
        if let range { add("range \(range.lowerBound) \(range.upperBound)") }
        if let time = text(of: .finishedAfter) { add("finished after \(time)") }
        if let time = text(of: .finishedBefore) { add("finished before \(time)") }
        if let schedule { add("schedule \(schedule)") }
        if let isRetried { add("retried \(isRetried)") }
        if let errorCode { add("error \(errorCode)") }
        if let statuses { add("status \(statuses.lowerBound) \(statuses.upperBound)") }
        if let method { add("method \(method)") }
        if let hold { add("hold \(hold.name)") }
        if order != .newestFirst { add("sort \(order.rawValue)") }
        return hash
    }
}
