package import ErrandTransfer
import HTTPTypes

extension ResponseHead {
    /// The authentication challenges of all `WWW-Authenticate` fields, in order.
    package var challenges: [AuthenticationChallenge] {
        AuthenticationChallenge.parse(fields: headers.compactMap { $0.name == .wwwAuthenticate ? $0.value : nil })
    }
}
