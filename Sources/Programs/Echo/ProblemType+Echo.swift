import ErrandHTTPServer
import HTTPTypes

extension ProblemType {
    /// 400: an invalid argument in the path or the query.
    static let unusableArgument = ProblemType(
        name: "unusable-argument", title: "Invalid argument", status: .badRequest)
}

extension ProblemDetails {
    /// Creates the problem of content that was not received completely.
    init(_ error: RequestBodyError) {
        let type: ProblemType =
            switch error {
            case .clientLeft, .canceled: .malformedRequest
            case .tooLarge: .contentTooLarge
            case .tooSlow: .requestTimeout
            case .serverStopping: .stopping
            }
        self.init(type, detail: error.description)
    }
}
