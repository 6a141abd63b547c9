import ErrandBodyFiles
import ErrandDownloads
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

/// The state of an attempt at a download whose content becomes the body of the task: a value without I/O.
struct BodyDownloadState: Sendable {
    var machine = DownloadMachine()
    /// The media type of the content, which the response with its rest need not state again; `nil` if unknown.
    var contentType: String?
    /// The content of earlier responses, unless the current response is being received.
    var kept: KeptBody?
    /// The offset of the first byte of the current response.
    private(set) var offset: Int64 = 0
    /// True while content is received.
    var isReceiving = false
    /// The meaning of the end of the current response.
    var conclusion = Conclusion.none

    /// The meaning of the end of a response, beside that of its outcome.
    enum Conclusion: Sendable {
        /// None: the outcome is that of the attempt.
        case none
        /// The rest of the content is requested, or all of it.
        case again
        /// The attempt fails with this error.
        case failed(SessionError)
    }

    /// The data from which the content that was received is resumed; `nil` if it cannot be resumed.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - bytes: The number of bytes in the incomplete file.
    func resumeData(url: String, bytes: Int64) -> DownloadResumeData? {
        guard let validator = machine.validatorText else { return nil }
        // The path is that of the place which keeps the data.
        var data = DownloadResumeData(
            url: url, validator: validator, received: bytes, total: machine.total, partialPath: "")
        data.contentType = contentType
        return data
    }

    /// Begins a request.
    ///
    /// - Returns: The first byte to ask for, and the validator on which that depends; `nil` to ask for the whole.
    mutating func ask() -> (offset: Int64, validator: String)? {
        conclusion = .none
        if kept == nil { machine.forget() }
        let asked = machine.ask(isGet: true)
        offset = asked?.offset ?? 0
        return asked
    }

    /// Begins a response.
    ///
    /// - Parameters:
    ///   - isAcceptable: True if the response can be a success.
    ///   - maxBytes: The size limit of the whole content.
    /// - Returns: The action, and the content of earlier responses: to be continued, or replaced.
    mutating func begin(
        _ head: ResponseHead, isAcceptable: Bool, maxBytes: Int64
    ) -> (action: DownloadMachine.Action, kept: KeptBody?) {
        let action = machine.received(head, isAcceptable: isAcceptable)
        switch action {
        case .write(let offset):
            self.offset = offset
            guard offset == 0 || kept?.size == offset else {
                // More was received meanwhile, in an earlier response to the same request.
                machine.forget()
                conclusion = .again
                return (.startAgain, nil)
            }
            if offset > 0, let total = machine.total, total > maxBytes { return (refuse(moreThan: maxBytes), nil) }
            isReceiving = true
            if offset == 0 { contentType = head.headers[.contentType] }
            return (action, kept.take())
        case .keepInMemory:
            if machine.isComplete, let kept, kept.size > maxBytes { return (refuse(moreThan: maxBytes), nil) }
            isReceiving = true
        case .startAgain: conclusion = .again
        case .refuse(let reason): conclusion = .failed(SessionError(.cannotParseResponse, reason))
        }
        return (action, nil)
    }

    /// Fails the attempt because the whole content is too large, although its rest would not be.
    private mutating func refuse(moreThan maxBytes: Int64) -> DownloadMachine.Action {
        let error = SessionError(TransferError.bodyTooLarge(limit: maxBytes))
        conclusion = .failed(error)
        return .refuse(error.message)
    }

    /// Records that content which was received is kept, or lost.
    mutating func keep(_ content: KeptBody?) {
        kept = content
        machine.settle(written: content?.size ?? 0)
        if !machine.isResumable { machine.forget() }
    }

    /// Takes the kept content if the server has stated that it lacks nothing; otherwise `nil`.
    mutating func takeComplete() -> KeptBody? {
        machine.isComplete ? kept.take() : nil
    }
}
