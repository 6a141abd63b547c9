import ErrandConfiguration
import ErrandSessionCore
import ErrandTaskStore
import ErrandTime
import ErrandWebhookSigning

/// Creates the request of one attempt of a callback.
enum CallbackRequest {
    /// Returns the message of a callback with the time of the attempt, signed with the current secrets.
    ///
    /// - Parameters:
    ///   - record: A task of the kind `callback`.
    ///   - configuration: The secrets.
    ///   - now: The time of the attempt.
    /// - Throws: An error if the message is damaged, or cannot be signed and must not be sent unsigned.
    static func request(
        of record: TaskRecord, _ configuration: CallbackConfiguration, at now: Timestamp
    ) throws(SessionError) -> TaskRequest {
        let message = try CallbackMessage(document: record.specification.task)
        let seconds = now.milliseconds / 1000
        var request = message.request
        request.headers.append(TaskHeader(CallbackMessage.timestampHeader, "\(seconds)"))
        guard !configuration.secrets.isEmpty else {
            guard configuration.allowsUnsigned else {
                // Nothing is sent, and the retries go on: the secrets may be missing by a mistake that is soon mended.
                throw SessionError(
                    .internal, "No secret to sign the message with; set callbacks.secrets", isRetryable: true)
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
