import HTTPTypes

extension HTTPField.Name {
    /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    ///
    /// The name is a valid token, so the alternative is never used.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .from
}
