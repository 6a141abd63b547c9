import ErrandHTTPServer
import HTTPTypes

extension UploadFormError {
    /// Returns the response to a form that is not read to its end: nothing of it is stored.
    func response(to head: RequestHead) -> ServerResponse {
        switch self {
        case .incomplete(let error): ContentResponses.incomplete(head, error)
        case .malformed(let detail): head.response(.malformedForm, detail)
        case .notJSON(let detail): head.response(.unsupportedMediaType, detail)
        case .taskTooLarge(let detail): head.response(.contentTooLarge, detail)
        }
    }
}
