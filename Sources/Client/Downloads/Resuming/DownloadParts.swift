package import ErrandTransfer
import HTTPTypes

/// The division of the content of a download among several connections: a value without I/O.
///
/// The first response of an attempt is a part with the first missing bytes, and states the size of the content. The rest
/// is claimed piece by piece by the connections, each of which asks for the next one when it is done with the last. A
/// piece is a share of what is left, so that slow connections do not delay the end. The rest of a piece that failed is
/// claimed again, and so is that of the first response.
package struct DownloadParts: Sendable {
    /// A part that a connection asks for.
    package struct Part: Sendable, Hashable {
        /// The number, which no other part of the attempt has.
        package let number: Int
        /// The positions of its bytes.
        package let range: Range<Int64>

        /// Returns true if a response to its request has brought enough bytes for another request on its connection.
        ///
        /// A server may end responses early, but without a minimum it would get any number of requests.
        func isWorthAnother(after bytes: Int64) -> Bool {
            bytes >= min(DownloadParts.minProgress, Int64(range.count))
        }
    }

    /// The handling of the content of a response to the request for a part.
    package enum Action: Sendable, Hashable {
        /// The content belongs into the file, up to this position.
        case write(upTo: Int64)
        /// The content belongs to an unsuccessful response, and is dropped.
        case drop
        /// The content is not received: the response is not a part that was asked for.
        case stop
    }

    /// The smallest part, except for the last ones: 1 MiB.
    package static let minBytes: Int64 = 1 << 20
    /// The number of bytes of an incomplete part that are worth another one on the same connection.
    package static let minProgress: Int64 = 64 << 10

    /// The number of bytes of the whole content.
    package let total: Int64
    /// The validator of the content.
    let validator: StrongValidator
    private let connections: Int
    /// The bytes that are in the file.
    package private(set) var written: ByteRanges
    /// True if the server has other content meanwhile.
    package private(set) var isChanged = false
    /// True if no part has brought bytes, although the first response was received to its end.
    package var isUseless: Bool { hasFirst && brought == 0 }
    /// True if the connection of the first response was lost, so that others bring what it lacks.
    package private(set) var isFirstLost = false
    /// The number of bytes that parts have brought.
    private var brought: Int64 = 0
    /// The number of those that have counted as progress without the first response.
    private var counted: Int64 = 0
    private var hasFirst = false
    /// The part of the first response.
    private var first: Range<Int64>
    private var open: [Int: OpenPart] = [:]
    private var lastNumber = 0

    private struct OpenPart: Sendable {
        let range: Range<Int64>
        /// The end of what the response brings.
        var end: Int64
        var received: Int64 = 0
        var written: Int64 = 0
    }

    /// Creates the division of content.
    ///
    /// - Parameters:
    ///   - total: The number of bytes of the whole content.
    ///   - written: The bytes that are in the file.
    ///   - first: The bytes that the first response brings.
    ///   - connections: The maximum number of connections.
    init(total: Int64, _ validator: StrongValidator, written: ByteRanges, first: Range<Int64>, connections: Int) {
        self.total = total
        self.validator = validator
        self.written = written
        self.first = first
        self.connections = max(connections, 1)
    }

    /// The number of connections that have something to do beside the first.
    var furtherConnections: Int {
        let (pieces, rest) = left.quotientAndRemainder(dividingBy: Self.minBytes)
        return Int(min(Int64(connections - 1), pieces + (rest > 0 ? 1 : 0)))
    }

    /// The number of bytes that were received beyond the part of the first response.
    var received: Int64 {
        open.values.reduce(written.count(from: first.upperBound)) { $0 + $1.received - $1.written }
    }

    private var taken: ByteRanges {
        var taken = written
        taken.insert(first)
        for part in open.values { taken.insert(part.range) }
        return taken
    }

    /// True if bytes are missing that no connection was asked for.
    var hasUnclaimed: Bool { left > 0 }

    private var left: Int64 { max(total - taken.count, 0) }

    /// Claims the next part; `nil` if none is left.
    package mutating func claim() -> Part? {
        guard !isChanged, let gap = taken.firstGap(before: total) else { return nil }
        let share = max(left / Int64(2 * connections), Self.minBytes)
        let range = gap.lowerBound..<gap.lowerBound + min(share, gap.upperBound - gap.lowerBound)
        lastNumber += 1
        open[lastNumber] = OpenPart(range: range, end: range.upperBound)
        return Part(number: lastNumber, range: range)
    }

    /// Begins the response to the request for a part.
    ///
    /// - Parameter isAcceptable: True if it can be a success, by its status and the type of its content.
    package mutating func received(_ head: ResponseHead, of number: Int, isAcceptable: Bool) -> Action {
        guard let part = open[number] else { return .stop }
        guard isAcceptable, !DownloadMachine.isRedirect(head) else { return .drop }
        guard validator.isValid(for: head) else {
            isChanged = true
            return .stop
        }
        guard head.status == 206 else {
            // Without a validator, the server may have found that the content has changed.
            if StrongValidator(head) != validator { isChanged = true }
            return .stop
        }
        guard !DownloadMachine.isCoded(head),
            let range = head.headers[.contentRange].flatMap({ ContentRange($0) }), let positions = range.positions,
            positions.lowerBound == part.range.lowerBound + part.written, range.total ?? total == total,
            positions.upperBound < part.range.upperBound
        else { return .stop }
        open[number]?.end = positions.upperBound + 1
        return .write(upTo: positions.upperBound + 1)
    }

    /// Records content of a part.
    ///
    /// - Returns: False if there is more of it than its head states, or if it is not wanted any longer.
    package mutating func received(bytes: Int, of number: Int) -> Bool {
        guard !isChanged, let part = open[number] else { return false }
        let received = part.received + Int64(bytes)
        guard received <= part.end - part.range.lowerBound else { return false }
        open[number]?.received = received
        brought += Int64(bytes)
        return true
    }

    /// Returns the position at which the next bytes of a part are written; `nil` if they are not wanted any longer.
    package func offset(of number: Int) -> Int64? {
        guard !isChanged else { return nil }
        return open[number].map { $0.range.lowerBound + $0.written }
    }

    /// Records bytes of a part that were written.
    package mutating func didWrite(_ bytes: Int, of number: Int) {
        guard let offset = offset(of: number) else { return }
        written.insert(offset..<offset + Int64(bytes))
        open[number]?.written += Int64(bytes)
    }

    /// Ends a part; what was not written is left for others.
    ///
    /// - Returns: The number of bytes that it has brought.
    package mutating func end(_ number: Int) -> Int64 {
        open.removeValue(forKey: number)?.written ?? 0
    }

    /// Records that the part of the first response was received to its end, or up to a position.
    package mutating func firstDidEnd(at position: Int64) {
        if position >= first.upperBound { hasFirst = true }
        endFirst(at: position)
    }

    private mutating func endFirst(at position: Int64) {
        first = first.lowerBound..<max(min(position, first.upperBound), first.lowerBound)
        written.insert(first)
    }

    /// Records that the connection of the first response was lost at a position; the rest is left for the parts.
    ///
    /// - Returns: The number of bytes that it has brought.
    package mutating func firstWasLost(at position: Int64) -> Int64 {
        endFirst(at: position)
        isFirstLost = true
        return Int64(first.count)
    }

    /// Goes on without a lost first response, if it has left something, and the parts have brought enough since this
    /// returned true to be worth another one.
    ///
    /// - Returns: True if another part is to be claimed.
    package mutating func goOnWithoutFirst() -> Bool {
        guard isFirstLost, !isChanged, left > 0, brought - counted >= Self.minProgress else { return false }
        counted = brought
        return true
    }
}
