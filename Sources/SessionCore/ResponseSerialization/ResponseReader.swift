import Transfer

/// Judges a response, then makes its object.
///
/// A bad content type is the end: there is nothing to read. A bad status is not, as what an upstream says about its
/// refusal is worth reading: there is an object beside the error then. When that cannot be read either, the error is
/// that it cannot, with the status behind it.
struct ResponseReader: Sendable {
    let serializer: any ResponseSerializer
    let validation: ResponseValidation

    init(_ kind: ResponseSerializerKind, _ configuration: ResponseConfiguration) {
        serializer = kind.serializer(for: configuration)
        validation = ResponseValidation(
            statuses: configuration.acceptableStatuses,
            contentTypes: configuration.acceptableContentTypes ?? serializer.acceptableContentTypes)
    }

    /// What a response is: its object, and why it is none of success.
    struct Reading: Sendable {
        var object: ResponseObject = .none
        var error: SessionError?
    }

    /// Reads a response that came whole.
    ///
    /// - Throws: When content outside of memory cannot be read back.
    func read(_ head: ResponseHead, _ body: ReceivedBody) async throws(TransferError) -> Reading {
        let refusal = validation.error(of: head, hasContent: body.size > 0)
        let isOfWrongType = [refusal?.code, refusal?.underlying?.code].contains(.unacceptableContentType)
        guard body.size > 0, serializer.readsContent, !isOfWrongType else { return Reading(error: refusal) }
        let content: [UInt8] =
            switch body.content {
            case .bytes(let bytes): bytes
            case .stored(let stored): try await stored.load()
            }
        do throws(SessionError) {
            return Reading(object: try serializer.serialize(content, of: head), error: refusal)
        } catch {
            var error = error
            error.underlying = refusal
            return Reading(error: error)
        }
    }
}
