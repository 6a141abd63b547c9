import ErrandJSON
import ErrandSessionCore

/// The handler of the kind `data`: a request, as its client has described it.
struct DataTaskHandler: ClientTaskKindHandler {
    func read(
        _ task: inout JSONObjectReader, of document: JSONDocument, for session: Session?, _ problems: JSONProblems
    ) -> TaskRequest {
        TaskRequestReader(document: document).read(&task, problems)
    }
}
