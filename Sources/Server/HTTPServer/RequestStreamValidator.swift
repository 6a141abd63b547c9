import ErrandHTTPGrammar
import ErrandLocking
import ErrandText

/// A validator of the bytes that a client sends on one connection, before any other parser sees them.
///
/// Reads the requests one after the other by the grammar of RFC 9112, in pieces of any size: request line, header
/// fields, content by length or in chunks, trailer fields. A request that the grammar does not allow is rejected as a
/// whole, even where RFC 9112 lets a recipient repair it, because another recipient may repair it differently (request
/// smuggling). Rejected are line ends without CR, folded lines, empty or padded field names, NUL, repeated or malformed
/// lengths, and faults in chunk sizes and chunk extensions. The accepted bytes have only one interpretation.
package struct RequestStreamValidator: Sendable {
    /// Sizes above which a request is rejected.
    package struct Limits: Sendable, Hashable {
        /// The longest request line and header section together, in bytes.
        package var headBytes: Int
        /// The longest request target, in bytes.
        package var targetBytes: Int
        /// The memory that libmicrohttpd has for its records of fields, query parameters and cookies, in bytes.
        package var recordBytes: Int

        /// Creates limits.
        package init(headBytes: Int, targetBytes: Int, recordBytes: Int) {
            self.headBytes = headBytes
            self.targetBytes = targetBytes
            self.recordBytes = recordBytes
        }
    }

    /// The problem of the first rejected request; neither its bytes nor later ones are passed on.
    package var problem: ProblemDetails? { rejection?.value }
    /// The number of requests that were passed on completely.
    package private(set) var completedRequests = 0
    /// The number of requests whose request line was passed on.
    package private(set) var requestLines = 0

    /// True if no byte of another request was passed on after the last complete one.
    package var isBetweenRequests: Bool { phase == .start }

    /// True if the request under way is a HEAD, whose response has no content (RFC 9110 §9.3.2).
    ///
    /// False until the method is complete.
    package var isHead: Bool { phase != .method && method == Self.head }

    let limits: Limits
    /// One word, because it is read for each byte.
    private var rejection: Shared<ProblemDetails>?
    var phase = Phase.start
    /// The bytes of the head so far; in the trailer section, the bytes of that section.
    var headBytes = 0
    /// The last eight bytes of the method so far, as one number.
    private var method: UInt64 = 0
    /// The memory that libmicrohttpd needs for its records of the request so far, in bytes.
    var recordBytes = 0
    var field = RequestFieldScanner()
    /// The bytes of the target, or of the version, so far.
    var partBytes = 0
    var hasQuery = false
    var isUnsupportedVersion = false
    var emptyLines = 0
    /// The remaining bytes of content of known length, or of a chunk.
    var remaining: UInt64 = 0
    var chunk = ChunkHeaderScanner()
    var isInTrailers = false

    enum Phase: UInt8 {
        /// Between requests.
        case start, startLineFeed
        case method, target, version, requestLineFeed
        /// At the start of a field line, or of the empty line that ends the section.
        case lineStart, fieldName, fieldValue, fieldLineFeed, sectionLineFeed
        /// In content of a known length.
        case content
        case chunkHeader, chunkHeaderLineFeed, chunkData, chunkEnd, chunkEndLineFeed
    }

    /// The most empty lines before a request: some clients send one after the previous content (RFC 9112 §2.2).
    private static let maxEmptyLines = 2
    /// The longest trailer section, in bytes.
    private static let maxTrailerBytes = 4096
    /// The method `HEAD`, as one number.
    private static let head: UInt64 = 0x4845_4144
    /// The size of a record, rounded up.
    static let bytesPerRecord = 64

    package init(limits: Limits) {
        self.limits = limits
    }

    /// The least number of bytes that have to come until the content under way is complete; 0 outside of content.
    package var missingContentBytes: UInt64 {
        switch phase {
        case .content: remaining
        // The line end of the chunk, and the last chunk: `0`, its line end and an empty line (RFC 9112 §7.1).
        case .chunkData: remaining + 7
        case .chunkHeader, .chunkHeaderLineFeed, .chunkEnd, .chunkEndLineFeed: 1
        case .start, .startLineFeed, .method, .target, .version, .requestLineFeed,
            .lineStart, .fieldName, .fieldValue, .fieldLineFeed, .sectionLineFeed:
            0
        }
    }

    /// Validates the next bytes of the connection.
    ///
    /// - Returns: The number of bytes that may be passed on: all, or those before the rejected request.
    package mutating func admit(_ bytes: Span<UInt8>) -> Int {
        guard rejection == nil else { return 0 }
        // The index in these bytes at which the current request begins.
        var start = 0
        var index = 0
        while index < bytes.count {
            if phase == .content || phase == .chunkData {
                let count = Int(min(UInt64(bytes.count - index), remaining))
                index += count
                remaining -= UInt64(count)
                if remaining == 0 { contentEnded() }
            } else {
                let skipped = skipPlainBytes(of: bytes, from: index)
                if skipped == 0 { take(bytes[index]) }
                index += max(skipped, 1)
                guard rejection == nil else { return start }
            }
            if phase == .start, emptyLines == 0 { start = index }
        }
        return bytes.count
    }

    /// Skips bytes that neither end the part of the head under way nor have a meaning in it.
    ///
    /// Most bytes of a head are such bytes. A byte above a limit is not skipped.
    ///
    /// - Returns: The number of skipped bytes.
    private mutating func skipPlainBytes(of bytes: Span<UInt8>, from index: Int) -> Int {
        var next = index
        switch phase {
        case .target:
            let end = index + min(min(bytes.count - index, maxHeadBytes - headBytes), limits.targetBytes - partBytes)
            while next < end, Self.isPlainInTarget(bytes[next]) { next += 1 }
            partBytes += next - index
        case .fieldValue where field.skipsValue:
            let end = index + min(bytes.count - index, maxHeadBytes - headBytes)
            while next < end, RequestFieldScanner.isPlain(bytes[next]) { next += 1 }
        default:
            return 0
        }
        headBytes += next - index
        return next - index
    }

    /// The longest head, or the longest trailer section while that is read, in bytes.
    private var maxHeadBytes: Int { isInTrailers ? Self.maxTrailerBytes : limits.headBytes }

    private mutating func contentEnded() {
        if phase == .content {
            complete()
        } else {
            phase = .chunkEnd
        }
    }

    /// Ends the request; the next byte begins another one.
    private mutating func complete() {
        let (requests, lines) = (completedRequests + 1, requestLines)
        self = RequestStreamValidator(limits: limits)
        completedRequests = requests
        requestLines = lines
    }

    mutating func refuse(_ type: ProblemType, _ detail: String) {
        rejection = Shared(ProblemDetails(type, detail: detail))
    }

    mutating func refuse(_ detail: String) {
        refuse(.malformedRequest, detail)
    }

    private mutating func take(_ byte: UInt8) {
        switch phase {
        case .start, .startLineFeed, .method, .target, .version, .requestLineFeed:
            takeRequestLine(byte)
            countHead()
        case .lineStart, .fieldName, .fieldValue, .fieldLineFeed, .sectionLineFeed:
            takeField(byte)
            countHead()
        case .chunkHeader, .chunkHeaderLineFeed, .chunkEnd, .chunkEndLineFeed:
            takeChunk(byte)
        case .content, .chunkData:
            // These bytes are skipped by their count.
            break
        }
    }

    private mutating func countHead() {
        headBytes += 1
        guard headBytes > maxHeadBytes, rejection == nil else { return }
        let part = isInTrailers ? "trailer fields are" : "request head is"
        refuse(.headersTooLarge, "the \(part) longer than \(maxHeadBytes) bytes")
    }

    // MARK: The request line

    private mutating func takeRequestLine(_ byte: UInt8) {
        switch phase {
        case .start:
            if byte == ASCII.carriageReturn {
                emptyLines += 1
                guard emptyLines <= Self.maxEmptyLines else {
                    return refuse("there are too many empty lines before the request")
                }
                phase = .startLineFeed
            } else if Token.isTokenCharacter(byte) {
                phase = .method
                method = UInt64(byte)
            } else {
                refuse("the request line does not begin with a method; this server speaks HTTP/1.1")
            }
        case .startLineFeed:
            expectLineFeed(byte, then: .start)
        case .method:
            if byte == ASCII.space {
                phase = .target
            } else if Token.isTokenCharacter(byte) {
                method = method << 8 | UInt64(byte)
            } else {
                refuse(RequestFault.methodIsNoToken)
            }
        case .target:
            takeTarget(byte)
        case .version:
            takeVersion(byte)
        default:
            expectLineFeed(byte, then: .lineStart)
            if rejection == nil { requestLines += 1 }
        }
    }

    private mutating func takeTarget(_ byte: UInt8) {
        if byte == ASCII.space {
            guard partBytes > 0 else { return refuse("the request line has more than one space after the method") }
            partBytes = 0
            phase = .version
            return
        }
        guard byte > ASCII.space, byte != ASCII.delete else {
            return refuse(
                byte == ASCII.carriageReturn || byte == ASCII.lineFeed
                    ? "the request line has no version; this server speaks HTTP/1.1"
                    : RequestTargetError.illegalCharacter(byte).description)
        }
        partBytes += 1
        guard partBytes <= limits.targetBytes else {
            return refuse(.targetTooLong, RequestFault.targetTooLong(limitBytes: limits.targetBytes))
        }
        if byte == UInt8(ascii: "?"), !hasQuery {
            hasQuery = true
            remember()
        } else if byte == UInt8(ascii: "&"), hasQuery {
            remember()
        }
    }

    /// Returns true if a byte of a target is allowed and separates nothing.
    private static func isPlainInTarget(_ byte: UInt8) -> Bool {
        byte > ASCII.space && byte != ASCII.delete && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "&")
    }

    /// Scans `HTTP/1.0` or `HTTP/1.1`; a later minor version is read as HTTP/1.1 (RFC 9110 §2.5).
    private mutating func takeVersion(_ byte: UInt8) {
        let isExpected =
            switch partBytes {
            case 0, 1, 2, 3, 4: byte == ASCII.versionPrefix(at: partBytes)
            case 5, 7: byte.isASCIIDigit
            case 6: byte == UInt8(ascii: ".")
            default: byte == ASCII.carriageReturn
            }
        guard isExpected else {
            return refuse("the request line does not end with a version such as HTTP/1.1, one space before it")
        }
        if partBytes == 5, byte != UInt8(ascii: "1") { isUnsupportedVersion = true }
        partBytes += 1
        guard byte == ASCII.carriageReturn else { return }
        guard !isUnsupportedVersion else {
            return refuse(.versionNotSupported, "this server speaks HTTP/1.1 and HTTP/1.0")
        }
        phase = .requestLineFeed
    }

    private mutating func expectLineFeed(_ byte: UInt8, then next: Phase) {
        guard byte == ASCII.lineFeed else { return refuse(RequestFault.loneCarriageReturn) }
        phase = next
    }

    /// Counts one more record of libmicrohttpd.
    private mutating func remember(bytes: Int = bytesPerRecord) {
        recordBytes += bytes
        guard rejection == nil, recordBytes > limits.recordBytes else { return }
        refuse(.headersTooLarge, "the request has too many header fields, query parameters or cookies")
    }

    // MARK: Fields

    private mutating func takeField(_ byte: UInt8) {
        switch phase {
        case .lineStart:
            beginLine(byte)
        case .fieldName:
            takeFieldName(byte)
        case .fieldValue:
            if byte == ASCII.carriageReturn {
                endValue()
            } else if let fault = field.takeValue(byte) {
                refuse(fault)
            } else if field.hasNewCookie {
                remember()
            }
        case .fieldLineFeed:
            expectLineFeed(byte, then: .lineStart)
        default:
            guard byte == ASCII.lineFeed else { return refuse(RequestFault.loneCarriageReturn) }
            endSection()
        }
    }

    private mutating func beginLine(_ byte: UInt8) {
        if byte == ASCII.carriageReturn {
            phase = .sectionLineFeed
        } else if byte.isASCIIBlank {
            refuse("a header field is folded over two lines, which HTTP/1.1 does not allow")
        } else if byte == UInt8(ascii: ":") {
            refuse("a header field has no name")
        } else {
            phase = .fieldName
            field.begin()
            takeFieldName(byte)
        }
    }

    private mutating func takeFieldName(_ byte: UInt8) {
        if byte == UInt8(ascii: ":") {
            phase = .fieldValue
            remember()
            if let fault = field.endName(isTrailer: isInTrailers) { refuse(fault) }
        } else if Token.isTokenCharacter(byte) {
            field.takeName(byte)
        } else if byte == ASCII.carriageReturn || byte == ASCII.lineFeed {
            refuse("a header line has no colon")
        } else {
            refuse(RequestFault.nameIsNoToken)
        }
    }

    private mutating func endValue() {
        if let fault = field.endValue() { return refuse(fault) }
        if field.copiedBytes > 0 { remember(bytes: field.copiedBytes) }
        phase = .fieldLineFeed
    }

    private mutating func endSection() {
        guard !isInTrailers else { return complete() }
        guard !(field.isChunked && field.contentLength != nil) else {
            return refuse(RequestFault.twoFramings)
        }
        if field.isChunked {
            phase = .chunkHeader
            chunk = ChunkHeaderScanner()
        } else if let length = field.contentLength, length > 0 {
            remaining = length
            phase = .content
        } else {
            complete()
        }
    }

    // MARK: Chunks

    private mutating func takeChunk(_ byte: UInt8) {
        switch phase {
        case .chunkHeader:
            if byte == ASCII.carriageReturn {
                if let fault = chunk.end() { return refuse(fault) }
                phase = .chunkHeaderLineFeed
            } else if let fault = chunk.take(byte) {
                refuse(fault)
            }
        case .chunkHeaderLineFeed:
            expectLineFeed(byte, then: .chunkData)
            remaining = chunk.size
            if remaining == 0 {
                isInTrailers = true
                headBytes = 0
                phase = .lineStart
            }
        case .chunkEnd:
            guard byte == ASCII.carriageReturn else {
                return refuse("a chunk is longer than its size says, or its line does not end with CR and LF")
            }
            phase = .chunkEndLineFeed
        default:
            expectLineFeed(byte, then: .chunkHeader)
            chunk.next()
        }
    }
}
