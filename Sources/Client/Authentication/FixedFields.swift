import ErrandTransfer
import HTTPTypes

/// The mechanism that adds the same header fields to every request.
struct FixedFields: AuthenticationMechanism {
    /// The fields, with different names.
    let fields: [HTTPField]

    /// Creates a mechanism from fields with different names.
    init(_ fields: HTTPField...) {
        self.fields = fields
    }

    func authorize(_ request: inout TransferRequest) {
        for field in fields {
            guard field.name == .cookie else {
                request.headers[fields: field.name] = [field]
                continue
            }
            // A key in a cookie is sent beside the cookies of the session.
            if !request.headers[fields: field.name].contains(field) { request.headers.append(field) }
        }
    }
}
