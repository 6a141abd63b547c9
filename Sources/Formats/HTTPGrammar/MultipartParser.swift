/// An incremental parser of a `multipart/form-data` body (RFC 7578, RFC 2046 §5.1): bytes go in, events come out.
///
/// The events do not depend on the pieces in which the bytes arrive, except that the content of a part is divided
/// otherwise. A value without I/O, whose memory is limited: at most a delimiter and the head of a part are kept.
///
/// A body with a preamble, or with more than a line end after the closing delimiter, is rejected: both would be bytes
/// that no part contains.
package struct MultipartParser: Sendable {
    /// A part of a body, in the order of the bytes.
    package enum Event: Sendable, Hashable {
        /// A part begins.
        case begin(MultipartPartHead)
        /// The next bytes of the content of the part, at least one.
        case content(ArraySlice<UInt8>)
        /// The part ends.
        case end
    }

    /// The most bytes of a part's head, with its empty line.
    package static let maxHeadBytes = 8192

    /// CR LF, two hyphens and the boundary.
    private let delimiter: [UInt8]
    private var state: State
    private var head: [UInt8] = []
    /// The part that has begun.
    private var name: String?
    /// The number of bytes of earlier pieces.
    private var offset: Int64 = 0
    private var fault: MultipartFault?

    private enum State {
        /// At the start of the body, where a delimiter needs no line end; with the number of bytes of it that were
        /// found.
        case start(Int)
        /// After a delimiter.
        case delimited
        /// After a delimiter and a hyphen.
        case closing
        /// After a delimiter and blanks.
        case padding
        /// After a delimiter and CR.
        case lineEnd
        /// In the head of a part.
        case head
        /// In the content of a part, with the number of bytes of the delimiter that were found.
        case content(Int)
        /// After the closing delimiter.
        case closed
        /// After the closing delimiter and CR.
        case closedLineEnd
        /// After the closing delimiter and its line end.
        case over
    }

    /// Creates a parser; returns `nil` if the boundary is not one (``MultipartBoundaryText``).
    package init?(boundary: String) {
        guard MultipartBoundaryText.isBoundary(boundary) else { return nil }
        delimiter = Array("\r\n--\(boundary)".utf8)
        state = .start(2)
    }

    /// Parses the next bytes.
    ///
    /// - Throws: The first fault; then also of all later calls.
    package mutating func parse(_ bytes: [UInt8]) throws(MultipartFault) -> [Event] {
        if let fault { throw fault }
        var events: [Event] = []
        var index = 0
        do throws(Fault) {
            while index < bytes.count { index = try step(bytes, at: index, &events) }
        } catch {
            let found = MultipartFault(at: offset + Int64(error.index), error.detail)
            fault = found
            throw found
        }
        offset += Int64(bytes.count)
        return events
    }

    /// Ends the body.
    ///
    /// - Throws: A fault if its end is missing.
    package func finish() throws(MultipartFault) {
        if let fault { throw fault }
        switch state {
        case .closed, .over: return
        case .closedLineEnd:
            throw MultipartFault(at: offset, "the body ends with CR; expected CR LF after the closing delimiter")
        case .start:
            throw MultipartFault(at: offset, "the body ends before its first part")
        case .delimited, .closing, .padding, .lineEnd, .head, .content:
            let place = name.map { "the part \(MultipartPartHead.quoted($0))" } ?? "the head of a part"
            throw MultipartFault(at: offset, "the body ends within \(place), before the closing delimiter")
        }
    }
}

// MARK: Steps

extension MultipartParser {
    private struct Fault: Error {
        var index: Int
        var detail: String

        init(_ index: Int, _ detail: String) {
            self.index = index
            self.detail = detail
        }
    }

    private static let cr = UInt8(ascii: "\r")
    private static let lf = UInt8(ascii: "\n")
    private static let hyphen = UInt8(ascii: "-")

    /// Parses bytes from an index; returns the index after them.
    private mutating func step(_ bytes: [UInt8], at index: Int, _ events: inout [Event]) throws(Fault) -> Int {
        let byte = bytes[index]
        switch state {
        case .start(let found):
            guard byte == delimiter[found] else {
                throw Fault(
                    index, "the body does not begin with the delimiter, two hyphens and the boundary; send no preamble")
            }
            state = found + 1 < delimiter.count ? .start(found + 1) : .delimited
        case .delimited where byte == Self.hyphen:
            state = .closing
        case .delimited, .padding:
            switch byte {
            case Self.cr: state = .lineEnd
            case 0x20, 0x09: state = .padding
            default: throw Fault(index, "expected CR LF or two hyphens after a delimiter")
            }
        case .closing:
            guard byte == Self.hyphen else { throw Fault(index, "expected two hyphens after the last delimiter") }
            state = .closed
        case .lineEnd:
            guard byte == Self.lf else { throw Fault(index, "expected LF after CR") }
            state = .head
        case .head:
            return try stepHead(bytes, at: index, &events)
        case .content(let found):
            return stepContent(bytes, at: index, found: found, into: &events)
        case .closed where byte == Self.cr:
            state = .closedLineEnd
        case .closedLineEnd where byte == Self.lf:
            state = .over
        case .closed, .closedLineEnd, .over:
            throw Fault(index, "the body continues after the closing delimiter; send no epilogue")
        }
        return index + 1
    }

    /// Collects the lines of a head up to the empty one.
    private mutating func stepHead(
        _ bytes: [UInt8], at index: Int, _ events: inout [Event]
    ) throws(Fault) -> Int {
        let byte = bytes[index]
        head.append(byte)
        guard head.count <= Self.maxHeadBytes else {
            throw Fault(index, "the head of a part is longer than \(Self.maxHeadBytes) bytes")
        }
        guard byte == Self.lf else { return index + 1 }
        guard head.count > 1, head[head.count - 2] == Self.cr else {
            throw Fault(index, "a line in the head of a part ends with LF alone; write CR LF")
        }
        guard head.count == 2 || head.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return index + 1 }
        do throws(MultipartPartHead.Fault) {
            let part = try MultipartPartHead(lines: Array(head.dropLast(2)))
            name = part.name
            events.append(.begin(part))
        } catch {
            throw Fault(index, error.detail)
        }
        head = []
        // An empty content has the delimiter's line end only.
        state = .content(0)
        return index + 1
    }

    /// Finds the next bytes of content, and the delimiter after them.
    ///
    /// The only CR of a delimiter is its first byte: after a byte that differs, the search continues with that byte.
    ///
    /// - Parameter found: The number of bytes of a delimiter with which the earlier pieces end.
    private mutating func stepContent(
        _ bytes: [UInt8], at start: Int, found: Int, into events: inout [Event]
    ) -> Int {
        var begin = start
        if found > 0 {
            let count = extend(found, with: bytes, at: start)
            begin += count - found
            guard count < delimiter.count, begin < bytes.count else {
                return endPiece(delimiterBytes: count, at: begin, &events)
            }
            events.append(.content(delimiter[..<count]))
        }
        var search = begin
        while let next = bytes[search...].firstIndex(of: Self.cr) {
            let count = extend(0, with: bytes, at: next)
            search = next + count
            guard count < delimiter.count, search < bytes.count else {
                emit(bytes[begin..<next], &events)
                return endPiece(delimiterBytes: count, at: search, &events)
            }
        }
        emit(bytes[begin...], &events)
        return endPiece(delimiterBytes: 0, at: bytes.count, &events)
    }

    /// Returns the number of bytes of the delimiter that are known when those from an index follow.
    private func extend(_ found: Int, with bytes: [UInt8], at index: Int) -> Int {
        var (count, index) = (found, index)
        while index < bytes.count, count < delimiter.count, bytes[index] == delimiter[count] {
            count += 1
            index += 1
        }
        return count
    }

    private mutating func endPiece(delimiterBytes count: Int, at index: Int, _ events: inout [Event]) -> Int {
        guard count == delimiter.count else {
            state = .content(count)
            return index
        }
        state = .delimited
        name = nil
        events.append(.end)
        return index
    }

    private func emit(_ content: ArraySlice<UInt8>, _ events: inout [Event]) {
        if !content.isEmpty { events.append(.content(content)) }
    }
}
