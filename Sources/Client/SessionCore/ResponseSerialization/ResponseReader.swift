import ErrandHTTPGrammar
import ErrandResponseSerialization
package import ErrandTransfer
import HTTPTypes

/// A reader that validates a response, then creates its object.
///
/// Content of an unacceptable type is not read. With an unacceptable status the content is still read, as it may
/// explain the error: the object then accompanies the error. If reading fails too, that is the error, and the status
/// its underlying one.
struct ResponseReader: Sendable {
    let choice: ResponseSerializerChoice
    let serializer: any ResponseSerializer
    let validation: ResponseValidation
    private let removesNulls: Bool
    private let disposition: ResponseConfiguration.Disposition

    /// Creates a reader.
    ///
    /// - Parameter own: A serializer of the program that is used instead of the chosen one, which must be `raw` then.
    init(
        _ choice: ResponseSerializerChoice, _ configuration: ResponseConfiguration,
        own: (any ResponseSerializer)? = nil
    ) {
        self.choice = choice
        serializer = own ?? choice.serializer(options: configuration.options)
        removesNulls = configuration.options.removesNulls
        disposition = configuration.disposition
        var types = configuration.acceptableContentTypes ?? serializer.acceptableContentTypes
        let others = configuration.disposition.becomeDownloadTypes
        if !others.isEmpty { types = types.map { $0 + others } }
        validation = ResponseValidation(statuses: configuration.acceptableStatuses, contentTypes: types)
    }

    /// Returns true if a response with this head and content is a success, unless its content cannot be read.
    func accepts(_ head: ResponseHead) -> Bool {
        validation.error(of: head, hasContent: true) == nil
    }

    /// The result of reading a response: its object, and the error unless it is a success.
    struct Reading: Sendable {
        var object: ResponseObject = .none
        var serializer: ResponseSerializerKind
        var error: SessionError?
    }

    /// Returns the memory needed to read content; `nil` if it is not read, or is in memory and cannot become many times
    /// as large.
    ///
    /// JSON is passed on unchanged; other formats become trees or other texts.
    func memory(toRead body: ReceivedBody, of head: ResponseHead) -> Int64? {
        let isEnlarged = choice.mayEnlarge(Self.contentType(of: head))
        guard isEnlarged || body.isStored else { return nil }
        let refusal = validation.error(of: head, hasContent: body.size > 0)
        let contentType = Self.contentType(of: head)
        guard reasonNotToRead(body, contentType: contentType, refusal: refusal) == nil else { return nil }
        if isEnlarged { return body.size + Int64(ConversionLimit(contentBytes: Int(clamping: body.size)).maxBytes) }
        // The content, the text, and JSON with six bytes for each control character.
        if choice.mayBeText(contentType) { return body.size * 8 }
        let isPassedOn = choice.kinds == [.json] && !removesNulls
        return isPassedOn ? body.size : body.size * 4
    }

    /// Reads a complete response.
    ///
    /// - Throws: An error if content outside of memory cannot be read back.
    func read(_ head: ResponseHead, _ body: ReceivedBody) async throws(TransferError) -> Reading {
        let refusal = validation.error(of: head, hasContent: body.size > 0)
        let contentType = Self.contentType(of: head)
        if let reason = reasonNotToRead(body, contentType: contentType, refusal: refusal) {
            guard case .tooLarge = reason else {
                let isRaw = body.size > 0 && (reason == .download || !serializer.readsContent(of: contentType))
                return Reading(serializer: isRaw ? .raw : choice.kinds[0], error: refusal)
            }
            let limit = ResponseConfiguration.maxReadBytes
            let message = "The content has more than \(limit) bytes, the limit for parsing"
            return Reading(
                serializer: choice.kinds[0], error: SessionError(.unparsableBody, message, underlying: refusal))
        }
        let content: [UInt8] =
            switch body.content {
            case .bytes(let bytes): bytes
            case .stored(let stored): try await stored.load()
            }
        do throws(ResponseSerializationError) {
            let read = try serializer.serialize(content, contentType: contentType)
            return Reading(object: read.object, serializer: read.serializer, error: refusal)
        } catch {
            var reading = Reading(serializer: choice.kinds[0], error: SessionError(error))
            reading.error?.underlying = refusal
            return reading
        }
    }

    /// A reason for not reading the content.
    private enum ReasonNotToRead {
        /// There is no content, or no serializer for it.
        case unwanted
        /// The content has become a download.
        case download
        case tooLarge
    }

    private func reasonNotToRead(
        _ body: ReceivedBody, contentType: MediaType?, refusal: SessionError?
    ) -> ReasonNotToRead? {
        let isOfWrongType =
            refusal?.code == .unacceptableContentType || refusal?.underlying?.code == .unacceptableContentType
        guard body.size > 0, !isOfWrongType, serializer.readsContent(of: contentType) else { return .unwanted }
        if refusal == nil, disposition.becomesDownload(size: body.size, contentType: contentType) { return .download }
        return body.size > ResponseConfiguration.maxReadBytes ? .tooLarge : nil
    }

    private static func contentType(of head: ResponseHead) -> MediaType? {
        head.headers.first { $0.name == .contentType }.flatMap { MediaType(field: $0.value) }
    }
}

extension ReceivedBody {
    /// True if the content is not in memory.
    fileprivate var isStored: Bool {
        if case .stored = content { true } else { false }
    }
}

extension PreparedRequest {
    /// Returns true if a response with this head and content is a success under the rules of the session.
    package func isAcceptable(_ head: ResponseHead, under rules: ResponseConfiguration) -> Bool {
        var rules = rules
        extras?.apply(to: &rules)
        return ResponseReader(responseSerializer, rules, own: extras?.hooks.responseSerializer).accepts(head)
    }
}
