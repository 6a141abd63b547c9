import ErrandHTTPGrammar
import ErrandResponseSerialization
package import ErrandTransfer
import HTTPTypes

/// A reader that validates a response, then creates its object.
///
/// Content of an unacceptable type is not read. With an unacceptable status the content is still read, as it may
/// explain the error: the object then accompanies the error. If reading fails too, that is the error, and the status
/// its underlying one.
///
/// Content outside of memory whose object would need more memory than all sessions may use for reading has no object: a
/// large text is not read, and the nulls of large JSON are not removed.
struct ResponseReader: Sendable {
    let choice: ResponseSerializerChoice
    let serializer: any ResponseSerializer
    let validation: ResponseValidation
    private let options: ResponseSerializationOptions
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
        options = configuration.options
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
        /// The value for ``SessionResponse/omitsObject``.
        var omitsObject = false
        var error: SessionError?
    }

    /// The factor by which the memory for reading a text exceeds its size: the content, the text, and JSON with six
    /// bytes for each control character.
    private static let growthOfText: Int64 = 8
    /// The size of the largest stored content that is read as a text.
    static let maxTextBytes = ResponseConfiguration.maxReadBytes / growthOfText
    /// The size of the largest stored JSON whose nulls are removed, which copies the rest.
    static let maxCopiedBytes = ResponseConfiguration.maxReadBytes / 2

    /// Returns the memory needed to read content; `nil` if it is not read, or is in memory and cannot become many times
    /// as large.
    ///
    /// JSON is passed on unchanged, or copied without its nulls; the object of an image is small. Only XML and property
    /// lists may need more than all sessions may use: they are read to validate them.
    func memory(toRead body: ReceivedBody, of head: ResponseHead) -> Int64? {
        let isEnlarged = choice.mayEnlarge(Self.contentType(of: head))
        guard isEnlarged || body.isStored else { return nil }
        let refusal = validation.error(of: head, hasContent: body.size > 0)
        let contentType = Self.contentType(of: head)
        guard reasonNotToRead(body, contentType: contentType, refusal: refusal) == nil else { return nil }
        if isEnlarged { return body.size + Int64(ConversionLimit(contentBytes: Int(clamping: body.size)).maxBytes) }
        if body.size <= Self.maxTextBytes, choice.mayBeText(contentType) { return body.size * Self.growthOfText }
        return appliedOptions(to: body).removesNulls ? body.size * 2 : body.size
    }

    /// Reads a complete response.
    ///
    /// - Throws: An error if content outside of memory cannot be read back.
    func read(_ head: ResponseHead, _ body: ReceivedBody) async throws(TransferError) -> Reading {
        let refusal = validation.error(of: head, hasContent: body.size > 0)
        let contentType = Self.contentType(of: head)
        if let reason = reasonNotToRead(body, contentType: contentType, refusal: refusal) {
            return unread(body, because: reason, contentType: contentType, refusal: refusal)
        }
        let content: [UInt8] =
            switch body.content {
            case .bytes(let bytes): bytes
            case .stored(let stored): try await stored.load()
            }
        do throws(ResponseSerializationError) {
            let read = try appliedSerializer(to: body, contentType).serialize(content, contentType: contentType)
            if kindsInsteadOfText(body, contentType) != nil, read.object == .none { return omitted(error: refusal) }
            return Reading(object: read.object, serializer: read.serializer, error: refusal)
        } catch {
            var reading = Reading(serializer: choice.kinds[0], error: SessionError(error))
            reading.error?.underlying = refusal
            return reading
        }
    }

    // MARK: Content that is not read

    /// A reason for not reading the content.
    private enum ReasonNotToRead {
        /// There is no content, or no serializer for it.
        case unwanted
        /// The content has become a download.
        case download
        /// The content would become a text that needs too much memory.
        case textTooLarge
        case tooLarge
    }

    private func reasonNotToRead(
        _ body: ReceivedBody, contentType: MediaType?, refusal: SessionError?
    ) -> ReasonNotToRead? {
        let isOfWrongType =
            refusal?.code == .unacceptableContentType || refusal?.underlying?.code == .unacceptableContentType
        guard body.size > 0, !isOfWrongType, serializer.readsContent(of: contentType) else { return .unwanted }
        if refusal == nil, disposition.becomesDownload(size: body.size, contentType: contentType) { return .download }
        if body.size > ResponseConfiguration.maxReadBytes { return .tooLarge }
        guard let others = kindsInsteadOfText(body, contentType) else { return nil }
        return compound(others, for: body).readsContent(of: contentType) ? nil : .textTooLarge
    }

    /// Returns the result for content that is not read.
    @inline(never)
    private func unread(
        _ body: ReceivedBody, because reason: ReasonNotToRead, contentType: MediaType?, refusal: SessionError?
    ) -> Reading {
        switch reason {
        case .unwanted, .download:
            let isRaw = body.size > 0 && (reason == .download || !serializer.readsContent(of: contentType))
            return Reading(serializer: isRaw ? .raw : choice.kinds[0], error: refusal)
        case .textTooLarge:
            return omitted(error: refusal)
        case .tooLarge:
            let limit = ResponseConfiguration.maxReadBytes
            let message = "The content has more than \(limit) bytes, the limit for parsing"
            return Reading(
                serializer: choice.kinds[0], error: SessionError(.unparsableBody, message, underlying: refusal))
        }
    }

    /// Returns the result for a text without its object.
    private func omitted(error: SessionError?) -> Reading {
        Reading(serializer: .text, omitsObject: true, error: error)
    }

    // MARK: Large content

    /// Returns the kinds to be tried on stored content that is too large for a text; `nil` if it is not, or cannot
    /// become a text.
    private func kindsInsteadOfText(_ body: ReceivedBody, _ contentType: MediaType?) -> [ResponseSerializerKind]? {
        guard body.size > Self.maxTextBytes, body.isStored else { return nil }
        return choice.kindsBeforeText(contentType)
    }

    /// Returns the serializer for content: the own or chosen one, unless it would need too much memory.
    private func appliedSerializer(to body: ReceivedBody, _ contentType: MediaType?) -> any ResponseSerializer {
        if let others = kindsInsteadOfText(body, contentType) { return compound(others, for: body) }
        return keepsNulls(body) ? choice.serializer(options: appliedOptions(to: body)) : serializer
    }

    /// Returns a serializer that tries several kinds in order, even if there is only one or none.
    private func compound(_ kinds: [ResponseSerializerKind], for body: ReceivedBody) -> CompoundResponseSerializer {
        let options = appliedOptions(to: body)
        return CompoundResponseSerializer(kinds.map { $0.serializer(options: options) })
    }

    /// Returns the options for content: those of the session, unless they would need too much memory.
    private func appliedOptions(to body: ReceivedBody) -> ResponseSerializationOptions {
        var options = options
        if keepsNulls(body) { options.removesNulls = false }
        return options
    }

    /// Returns true if the nulls of content stay although the session removes them, so that it is not copied.
    private func keepsNulls(_ body: ReceivedBody) -> Bool {
        options.removesNulls && body.size > Self.maxCopiedBytes && body.isStored && choice != .raw
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
