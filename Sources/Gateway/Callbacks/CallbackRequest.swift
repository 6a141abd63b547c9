import Configuration
import SessionCore
import TaskStore
import WebhookSigning

/// Makes what one attempt of a delivery sends.
enum CallbackRequest {
    /// The message of a delivery with the time of the attempt, signed with the secrets that are in force then.
    ///
    /// - Parameters:
    ///   - record: A task of the kind `callback`.
    ///   - configuration: The secrets.
    ///   - now: The time of the attempt.
    /// - Throws: When the message is damaged, or cannot be signed and must not be sent without.
    static func request(
        of record: TaskRecord, _ configuration: CallbackConfiguration, at now: Timestamp
    ) throws(SessionError) -> TaskRequest {
        let message = try CallbackMessage(document: record.specification.task)
        let seconds = now.milliseconds / 1000
        var request = message.request
        request.headers.append(TaskHeader(CallbackMessage.timestampHeader, "\(seconds)"))
        guard !configuration.secrets.isEmpty else {
            guard configuration.allowsUnsigned else {
                throw SessionError(.internal, "There is no secret to sign the message with (callbacks.secrets)")
            }
            return request
        }
        do throws(WebhookSecretError) {
            let signatures = try WebhookSigner(configuration.secrets).sign(
                WebhookMessage(id: message.id, timestamp: seconds, body: message.body))
            request.headers.append(TaskHeader(CallbackMessage.signatureHeader, signatures))
        } catch {
            throw SessionError(.internal, "The message cannot be signed: \(error)")
        }
        return request
    }
}
