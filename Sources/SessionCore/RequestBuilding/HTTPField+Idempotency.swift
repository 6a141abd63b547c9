import HTTPTypes

extension HTTPField.Name {
    /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    ///
    /// It is a token, so that there is always such a name.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key") ?? .from
}
