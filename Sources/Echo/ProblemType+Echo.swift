import HTTPServer
import HTTPTypes

extension ProblemType {
    /// 400: a part of the path or of the query that the endpoint cannot use.
    static let unusableArgument = ProblemType(
        name: "unusable-argument", title: "An argument is not usable", status: .badRequest)
}

extension ProblemDetails {
    /// The answer to content that did not arrive.
    init(_ error: RequestBodyError) {
        let type: ProblemType =
            switch error {
            case .clientLeft, .cancelled: .malformedRequest
            case .tooLarge: .contentTooLarge
            case .tooSlow: .requestTimeout
            case .serverStopping: .stopping
            }
        self.init(type, detail: error.description)
    }
}
