package import ErrandTransfer
import HTTPTypes

/// The state machine of a download.
///
/// A value without I/O: it knows how many bytes the partial file has, and what each response means for it.
///
/// ```
/// ask ──▶ received(head) ──▶ received(bytes)… ──▶ settle ──▶ ended
///  ▲                                                          │
///  └──────────────── startAgain, unfinished ──────────────────┘
/// ```
package struct DownloadMachine: Sendable {
    /// The handling of the content of a response.
    package enum Action: Sendable, Hashable {
        /// The content belongs into the file, from this offset on; what the file has there is dropped.
        case write(from: Int64)
        /// The content belongs to an unsuccessful response, to a redirect, or to a response without a part.
        case keepInMemory
        /// The content is not received: the whole is requested again.
        case startAgain
        /// The content is not received: the response is invalid, for this reason.
        case refuse(String)
    }

    /// The meaning of the end of a response.
    package enum Ending: Sendable, Hashable {
        /// The file is complete.
        case complete
        /// The file lacks bytes at its end, which are requested next.
        case unfinished
        /// The response had another length than its head announced.
        case wrongLength
    }

    /// The validator of the bytes in the file; `nil` if they cannot be resumed.
    private(set) var validator: StrongValidator?
    /// The number of bytes of the whole content; `nil` if unknown.
    package private(set) var total: Int64?
    /// The number of bytes in the file, including those that are not written yet.
    package private(set) var position: Int64 = 0
    /// The position after the last byte of the current response; `nil` if unknown.
    private(set) var end: Int64?
    /// The action for the current response.
    private(set) var action: Action?
    /// True if the server has stated that the file lacks nothing.
    package private(set) var isComplete = false
    /// The first byte that was asked for; `nil` for the whole content.
    private var asked: Int64?
    /// The position after the last byte that was asked for; `nil` if that is the last of the content.
    private var askedEnd: Int64?
    /// True if parts of the content can be requested, as of content that is got with GET (RFC 9110 §14.2).
    private var hasParts = true
    /// True if the server has answered the request for a first part as if it had no parts, or only of other content.
    private var refusesParts = false

    /// Creates the machine of a new download, or of one that is resumed.
    package init(resuming data: DownloadResumeData? = nil) {
        guard let data, let written = data.written, written.prefix > 0,
            let validator = StrongValidator(data.validator)
        else { return }
        self.validator = validator
        position = written.prefix
        total = data.total
    }

    /// The validator of the bytes in the file, for a record of them; `nil` if they cannot be resumed.
    package var validatorText: String? { validator?.text }

    /// True if the content of the current response belongs into the file.
    package var isWriting: Bool {
        if case .write = action { true } else { false }
    }

    /// True if the bytes in the file can be resumed.
    package var isResumable: Bool { validator != nil && position > 0 }

    /// Records the number of bytes that the partial file of resume data really has.
    mutating func found(fileBytes: Int64) {
        position = min(position, fileBytes)
        if position <= 0 { forget() }
    }

    /// Forgets the bytes in the file: the next request is for the whole content.
    package mutating func forget() {
        validator = nil
        total = nil
        position = 0
    }

    /// Begins a request.
    ///
    /// - Parameter isGet: True if the method is GET.
    /// - Returns: The first byte to ask for, and the validator on which that depends; `nil` to ask for the whole.
    package mutating func ask(isGet: Bool) -> (offset: Int64, validator: String)? {
        hasParts = isGet
        askedEnd = nil
        action = nil
        end = nil
        isComplete = false
        guard isGet, let validator, position > 0 else {
            forget()
            asked = nil
            return nil
        }
        asked = position
        return (position, validator.text)
    }

    /// Begins a request for the first part of the content that is missing.
    ///
    /// - Parameters:
    ///   - isGet: True if the method is GET.
    ///   - bytes: The maximum number of bytes.
    /// - Returns: The first byte to ask for, the position after the last one (`nil` for the rest of the content), and the
    ///   validator on which that depends, if it is known; `nil` to ask for the whole.
    package mutating func ask(
        isGet: Bool, atMost bytes: Int64
    ) -> (offset: Int64, end: Int64?, validator: String?)? {
        let rest = ask(isGet: isGet)
        let isComplete = total.map { position >= $0 } ?? false
        guard isGet, !refusesParts, !isComplete else { return rest.map { ($0.offset, nil, $0.validator) } }
        let end = min(position + bytes, total ?? .max)
        asked = position
        askedEnd = end
        return (position, end, rest?.validator)
    }

    /// Requests no parts any longer, but the rest of the content.
    package mutating func refuseParts() {
        refusesParts = true
    }

    /// Records that all bytes before a position are in the file.
    mutating func advance(to position: Int64) {
        self.position = position
        end = nil
    }

    /// The part of the current response, if it was asked for as a part of known content; otherwise `nil`.
    var part: Range<Int64>? {
        guard askedEnd != nil, let asked, let end, total != nil, validator != nil, isWriting else { return nil }
        return asked..<end
    }

    /// Begins a response.
    ///
    /// - Parameter isAcceptable: True if it can be a success, by its status and the type of its content.
    package mutating func received(_ head: ResponseHead, isAcceptable: Bool) -> Action {
        isComplete = false
        end = nil
        let action = judge(head, isAcceptable: isAcceptable && !Self.isRedirect(head))
        self.action = action
        if case .startAgain = action {
            if askedEnd != nil { refusesParts = true }
            forget()
        }
        return action
    }

    private mutating func judge(_ head: ResponseHead, isAcceptable: Bool) -> Action {
        switch (head.status, asked) {
        case (206, 0?) where isAcceptable && validator == nil:
            return judge(firstPart: head)
        case (206, let asked?) where isAcceptable:
            return judge(part: head, from: asked, of: validator)
        case (206, nil) where isAcceptable:
            return .refuse("The response is a part of the content (206), although the whole was requested")
        case (416, let asked?):
            let range = head.headers[.contentRange].flatMap { ContentRange($0) }
            isComplete =
                range?.positions == nil && range?.total == asked && (total == nil || total == asked)
                && validator?.isValid(for: head) == true
            return isComplete ? .keepInMemory : .startAgain
        case (_, let asked) where isAcceptable:
            // The answer to a request for a part is not decoded.
            if asked != nil, Self.isCoded(head) { return .startAgain }
            beginWhole(head)
            return .write(from: 0)
        default:
            return .keepInMemory
        }
    }

    /// Judges the first part of content that is not known yet.
    private mutating func judge(firstPart head: ResponseHead) -> Action {
        let validator = Self.refusesRanges(head) ? nil : StrongValidator(head)
        let action = judge(part: head, from: 0, of: validator)
        // Without a validator, the part cannot be combined with others.
        guard case .write = action, let total, let end, validator != nil || end == total else { return .startAgain }
        self.validator = validator
        return action
    }

    private mutating func judge(part head: ResponseHead, from asked: Int64, of validator: StrongValidator?) -> Action {
        guard !Self.isCoded(head), validator?.isValid(for: head) ?? (asked == 0) else { return .startAgain }
        guard let value = head.headers[.contentRange] else {
            return .refuse("The response is a part of the content (206) without Content-Range")
        }
        guard let range = ContentRange(value), let positions = range.positions else {
            return .refuse("The response is a part of the content (206) with an invalid Content-Range")
        }
        guard positions.lowerBound == asked else {
            let found = positions.lowerBound
            return .refuse("The response begins at byte \(found) of the content, although byte \(asked) was requested")
        }
        if let known = total, let stated = range.total, known != stated {
            return .refuse("The content has \(stated) bytes according to this response, and had \(known) before")
        }
        total = total ?? range.total
        guard positions.upperBound < total ?? .max else {
            return .refuse("The response ends at byte \(positions.upperBound), beyond the end of the content")
        }
        if let askedEnd {
            guard positions.upperBound < askedEnd else { return .startAgain }
            // Content of unknown length cannot be divided.
            if total == nil { refusesParts = true }
        }
        end = positions.upperBound + 1
        return .write(from: asked)
    }

    /// Begins to receive the whole content; what was there before does not matter any longer.
    private mutating func beginWhole(_ head: ResponseHead) {
        let isCoded = Self.isCoded(head)
        position = 0
        asked = nil
        total = isCoded ? nil : Self.length(of: head)
        end = total
        let isResumable = hasParts && head.status == 200 && !isCoded && !Self.refusesRanges(head)
        validator = isResumable ? StrongValidator(head) : nil
    }

    /// Records content of the current response.
    package mutating func received(bytes: Int) {
        position += Int64(bytes)
    }

    /// Records the number of bytes that were written, once the response has ended.
    package mutating func settle(written: Int64) {
        position = min(position, written)
    }

    /// Ends a response that was received to its end.
    package mutating func ended() -> Ending {
        if isComplete { return .complete }
        if let end, position != end {
            forget()
            return .wrongLength
        }
        if let asked, position <= asked {
            // The next request would be the same, without end.
            forget()
            return .wrongLength
        }
        if let total { return position < total ? .unfinished : .complete }
        // A part of content of unknown length: only the next request shows that it was the last.
        return asked == nil ? .complete : .unfinished
    }

    /// Returns true for a redirect, which may be followed by another response; its content is not that of the file.
    static func isRedirect(_ head: ResponseHead) -> Bool {
        switch head.status {
        case 301, 302, 303, 307, 308: head.headers.first { $0.name == .location }?.value.isEmpty == false
        default: false
        }
    }

    /// Returns true if the content is encoded, so that the file has other bytes than a range would count.
    static func isCoded(_ head: ResponseHead) -> Bool {
        guard let coding = head.headers[.contentEncoding] else { return false }
        return !coding.isEmpty && coding.lowercased() != "identity"
    }

    private static func length(of head: ResponseHead) -> Int64? {
        // The transport has already rejected a head with an invalid length.
        try? head.contentLength(toHEAD: false)
    }

    private static func refusesRanges(_ head: ResponseHead) -> Bool {
        head.headers[.acceptRanges]?.lowercased() == "none"
    }
}
