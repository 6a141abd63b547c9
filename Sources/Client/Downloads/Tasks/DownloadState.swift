import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

/// The state of a download that its threads share: a value without I/O.
struct DownloadState: Sendable {
    var machine: DownloadMachine
    /// The content that is not written yet.
    var buffer = ContentBuffer()
    /// The content of an unsuccessful response, unless it has another destination.
    var memory: [UInt8] = []
    /// The failure of the current attempt.
    var failure: SessionError?
    /// True if the content of the current response was received to its end and written.
    var isWhole = false
    /// The requested URL.
    var url = ""
    /// The request for the whole content; `nil` before the first.
    var request: PreparedRequest?
    /// The head of the current response.
    var head: ResponseHead?
    /// The value of `Content-Disposition` in the response with which the content began, from which the file is named;
    /// `nil` if there was none.
    private(set) var contentDisposition: String?
    /// The path of the complete file as it was chosen, once it is known.
    var chosenPath: String?
    /// The path of the complete file, once it is known and a file can be created there.
    var target: DownloadPath?
    /// The open partial file.
    var file: PartialFile?
    /// The number of bytes in the partial file, or in the complete one.
    var written: Int64 = 0
    /// True if the partial file of resume data was not opened yet.
    var mustReopen = true
    /// True to keep the partial file if the task is canceled.
    var keepsPartialFile = false
    /// The path of the complete file, once it is there.
    var location: String?
    /// The data from which the ended download can be resumed.
    var resumeData: DownloadResumeData?
    /// The division of the rest of the content; `nil` if one connection receives it.
    var parts: DownloadParts?
    /// True if the partial file may have bytes beyond ``written`` that are not part of the content.
    var hasStrayBytes = false
    /// The connections for parts.
    var connections = PartConnections()
    /// The bytes in the partial file that lie beyond ``written``.
    private var further = ByteRanges()

    /// The requests since the last failure.
    private var requests = 0

    /// The number of content bytes of an unsuccessful response.
    private var otherBytes: Int64 = 0
    /// True if content that is not that of the file is kept here.
    private let keepsOthers: Bool
    private let maxBytes: Int64?
    /// The maximum number of connections.
    private let maxConnections: Int
    private var resume: (@Sendable () -> Void)?

    init(
        machine: DownloadMachine, maxBytes: Int64?, maxConnections: Int = 1, written: ByteRanges = ByteRanges(),
        contentDisposition: String? = nil, keepsOthers: Bool = true
    ) {
        self.machine = machine
        self.maxBytes = maxBytes
        self.maxConnections = maxConnections
        self.contentDisposition = contentDisposition
        self.keepsOthers = keepsOthers
        further = written
    }

    /// The meaning of an ended attempt.
    enum Conclusion: Sendable {
        /// The outcome of the attempt is that of the task.
        case none
        /// Another attempt follows; with true, because connections were lost to a suspension.
        case again(wasLostToSuspension: Bool)
        /// The task fails with this error.
        case failed(SessionError)
        /// The file is complete.
        case complete
    }

    /// Records the partial file of resume data; `nil` if it is gone.
    mutating func reopened(_ file: PartialFile?, bytes: Int64) {
        mustReopen = false
        self.file = file
        machine.found(fileBytes: bytes)
        further.remove(from: bytes)
        written = machine.position
        hasStrayBytes = bytes > written
    }

    /// Begins a request; the result is as that of ``DownloadMachine/ask(isGet:atMost:)``.
    mutating func ask(
        _ request: PreparedRequest, as url: String
    ) -> (offset: Int64, end: Int64?, validator: String?)? {
        // A suspended attempt may have ended without a conclusion.
        joinParts()
        self.url = url
        failure = nil
        isWhole = false
        let isGet = request.method == .get
        // Bytes beyond a hole are lost if the content before it begins again.
        if !machine.isResumable { further = ByteRanges() }
        let hasFurther = further.end > machine.position
        guard maxConnections > 1 || hasFurther, request.hasRepeatableContent else {
            return machine.ask(isGet: isGet).map { ($0.offset, nil, $0.validator) }
        }
        let hole = hasFurther ? further.ranges.first { $0.lowerBound > machine.position } : nil
        let length = min(DownloadParts.minBytes, hole.map { $0.lowerBound - machine.position } ?? .max)
        return machine.ask(isGet: isGet, atMost: length)
    }

    /// Begins a response.
    ///
    /// - Returns: The action, and the failure that ends the attempt instead.
    mutating func begin(
        _ head: ResponseHead, isAcceptable: Bool, resume: @escaping @Sendable () -> Void
    ) -> (DownloadMachine.Action, SessionError?) {
        mustReopen = false
        failure = nil
        isWhole = false
        // A failed attempt may have left a piece that was never written.
        buffer = ContentBuffer()
        memory = []
        otherBytes = 0
        self.head = head
        self.resume = resume
        let action = machine.received(head, isAcceptable: isAcceptable)
        // The bytes after the offset are no longer part of the content, although they are still in the file.
        if case .write(let offset) = action {
            if offset == 0 {
                contentDisposition = PartialRecord.short(head.headers[.contentDisposition])
            }
            written = min(written, offset)
            divide(from: offset)
        }
        if case .refuse(let reason) = action {
            failure = SessionError(.cannotParseResponse, reason)
        } else if machine.isWriting, let maxBytes, let total = machine.total, total > maxBytes {
            failure = tooLarge(maxBytes)
        } else if machine.isComplete, let maxBytes, machine.position > maxBytes {
            failure = tooLarge(maxBytes)
            // A larger file does not become smaller.
            machine.forget()
        }
        return (action, failure)
    }

    /// Divides the rest of the content, if the response is a part of it.
    private mutating func divide(from offset: Int64) {
        parts = nil
        guard let first = machine.part, let total = machine.total, let validator = machine.validator else {
            further = ByteRanges()
            return
        }
        guard first.upperBound < total else { return }
        var known = further
        known.insert(0..<offset)
        parts = DownloadParts(total: total, validator, written: known, first: first, connections: maxConnections)
    }

    /// Appends content, or only counts it if it is that of an unsuccessful response with another destination.
    ///
    /// - Returns: The decision for the transport, and a piece to write, if any.
    mutating func append(_ bytes: RawSpan, maxMemoryBytes: Int64) -> (ReceiveDecision, piece: [UInt8]?) {
        if let failure { return (.stop(failure.transferError), nil) }
        guard machine.isWriting else {
            otherBytes += Int64(bytes.byteCount)
            guard otherBytes <= maxMemoryBytes else { return stop(tooLarge(maxMemoryBytes)) }
            if keepsOthers { bytes.withUnsafeBytes { memory.append(contentsOf: $0) } }
            return (.more, nil)
        }
        let position = machine.position + Int64(bytes.byteCount)
        if let maxBytes, position > maxBytes { return stop(tooLarge(maxBytes)) }
        // Behind the end there may be content of other connections.
        if let end = machine.end, position > end {
            machine.forget()
            return stop(SessionError(.cannotParseResponse, "The response has more content than its head states"))
        }
        machine.received(bytes: bytes.byteCount)
        return buffer.append(bytes)
    }

    private mutating func stop(_ error: SessionError) -> (ReceiveDecision, piece: [UInt8]?) {
        failure = error
        return (.stop(error.transferError), nil)
    }

    private func tooLarge(_ limit: Int64) -> SessionError {
        SessionError(TransferError.bodyTooLarge(limit: limit))
    }

    /// Records a piece that was written.
    ///
    /// - Returns: The next piece to write, and the function that resumes the paused transfer.
    mutating func didWrite(_ count: Int) -> (piece: [UInt8]?, resume: (@Sendable () -> Void)?) {
        written += Int64(count)
        guard let next = buffer.didWrite() else { return (nil, nil) }
        return (next, resume)
    }

    /// Records a failure.
    ///
    /// - Returns: The function that resumes the paused transfer.
    mutating func fail(_ error: SessionError) -> (@Sendable () -> Void)? {
        failure = failure ?? error
        return buffer.drop() ? resume : nil
    }

    /// Records that all content of a response was written, as far as that is possible.
    mutating func settle() {
        machine.settle(written: written)
        resume = nil
    }

    /// Forgets the content of a response that was refused after it was received to its end.
    ///
    /// It must not be resumed: the server would only state that nothing is left.
    mutating func forgetRefused() {
        if isWhole, machine.isWriting { machine.forget() }
    }

    /// Returns the meaning of an attempt that ended with an error, or without one.
    mutating func conclude(_ error: SessionError?) -> Conclusion {
        let conclusion = meaning(ofEndWith: error)
        guard case .again = conclusion else {
            requests = 0
            return conclusion
        }
        requests += 1
        guard requests == DownloadMachine.unfinishedLimit else { return conclusion }
        requests = 0
        return .failed(DownloadMachine.unfinishedTooOften)
    }

    private mutating func meaning(ofEndWith error: SessionError?) -> Conclusion {
        let isFirstLost = parts?.isFirstLost ?? false
        if let parts, parts.isChanged, failure == nil, error == nil || isFirstLost {
            machine.forget()
            machine.refuseParts()
            self.parts = nil
            return .again(wasLostToSuspension: false)
        }
        let isDivided = parts != nil
        defer { joinParts() }
        if case .startAgain = machine.action { return .again(wasLostToSuspension: false) }
        if let failure {
            // A larger file does not become smaller.
            if failure.code == .bodyTooLarge, machine.isWriting { machine.forget() }
            return .failed(failure)
        }
        if isFirstLost {
            joinParts()
            if machine.position == machine.total { return .complete }
            return connections.mayRestart ? .again(wasLostToSuspension: true) : .none
        }
        if let error, !(machine.isComplete && error.code == .unacceptableStatus) { return .none }
        guard machine.isWriting || machine.isComplete else {
            let status = head.map { " with the status \($0.status)" } ?? ""
            return .failed(SessionError(.unacceptableStatus, "The response\(status) is not the content of a file"))
        }
        switch machine.ended() {
        case .complete: return .complete
        case .unfinished:
            guard isDivided else { return .again(wasLostToSuspension: false) }
            joinParts()
            guard machine.position != machine.total else { return .complete }
            return .again(wasLostToSuspension: connections.mayRestart)
        case .wrongLength:
            return .failed(DownloadMachine.wrongLength)
        }
    }

    /// Takes the bytes of the parts, which have ended.
    private mutating func joinParts() {
        guard var parts else { return }
        self.parts = nil
        // Connections that bring nothing are not tried again, unless they were suspended.
        if parts.isUseless, !connections.mayRestart { machine.refuseParts() }
        parts.firstDidEnd(at: min(written, machine.position))
        // A download cannot be resumed without its first byte.
        guard machine.validator != nil, !parts.isChanged, parts.written.prefix > 0 else {
            further = ByteRanges()
            return
        }
        further = parts.written
        written = further.prefix
        machine.advance(to: written)
    }

    /// The number of bytes that were received.
    var received: Int64 {
        machine.position + (parts?.received ?? further.count(from: machine.position))
    }

    /// The bytes in the partial file.
    private var allWritten: ByteRanges {
        var all = parts?.written ?? further
        all.insert(0..<min(written, machine.end ?? .max))
        return all
    }

    /// Returns true if the partial file is kept after a task that ended with an error.
    func keeps(after error: SessionError?) -> Bool {
        guard let error else { return false }
        return error.code != .canceled || keepsPartialFile
    }

    /// The data from which the download can be resumed as soon as content of the current response is in the file;
    /// `nil` if it cannot be resumed.
    var dataOnceReceived: DownloadResumeData? {
        guard let validator = machine.validator, let file else { return nil }
        var data = DownloadResumeData(
            url: url, validator: validator.text, written: allWritten, total: machine.total, partialPath: file.path)
        data.contentDisposition = contentDisposition
        return data
    }

    /// The data from which the download can be resumed, once the written bytes are on the medium; `nil` if it cannot
    /// be resumed.
    var dataToResume: DownloadResumeData? { allWritten.prefix > 0 ? dataOnceReceived : nil }
}

extension SessionError {
    /// The error for the transport; the task gets this one.
    var transferError: TransferError {
        TransferError(TransferError.Code(rawValue: code.rawValue) ?? .cannotWrite, message)
    }
}
