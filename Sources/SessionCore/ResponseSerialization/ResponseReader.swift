import HTTPGrammar
import HTTPTypes
import ResponseSerialization
import Transfer

/// Judges a response, then makes its object.
///
/// A bad content type is the end: there is nothing to read. A bad status is not, as what an upstream says about its
/// refusal is worth reading: there is an object beside the error then. When that cannot be read either, the error is
/// that it cannot, with the status behind it.
struct ResponseReader: Sendable {
    let choice: ResponseSerializerChoice
    let serializer: any ResponseSerializer
    let validation: ResponseValidation

    init(_ choice: ResponseSerializerChoice, _ configuration: ResponseConfiguration) {
        self.choice = choice
        serializer = choice.serializer(options: configuration.options)
        validation = ResponseValidation(
            statuses: configuration.acceptableStatuses,
            contentTypes: configuration.acceptableContentTypes ?? serializer.acceptableContentTypes)
    }

    /// What a response is: its object, and why it is none of success.
    struct Reading: Sendable {
        var object: ResponseObject = .none
        var serializer: ResponseSerializerKind
        var error: SessionError?
    }

    /// Reads a response that came whole.
    ///
    /// - Throws: When content outside of memory cannot be read back.
    func read(_ head: ResponseHead, _ body: ReceivedBody) async throws(TransferError) -> Reading {
        let refusal = validation.error(of: head, hasContent: body.size > 0)
        let isOfWrongType = [refusal?.code, refusal?.underlying?.code].contains(.unacceptableContentType)
        let unread = Reading(serializer: choice.kinds[0], error: refusal)
        let contentType = head.headers.first { $0.name == .contentType }.flatMap { MediaType($0.value) }
        guard body.size > 0, serializer.readsContent(of: contentType), !isOfWrongType else { return unread }
        guard body.size <= ResponseConfiguration.maxReadBytes else {
            let limit = ResponseConfiguration.maxReadBytes
            let message = "The content has more than \(limit) bytes, too many to be read as a whole"
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
            var reading = unread
            reading.error = SessionError(error)
            reading.error?.underlying = refusal
            return reading
        }
    }
}
