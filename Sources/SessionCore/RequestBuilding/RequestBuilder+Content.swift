import HTTPTypes
import JSON
import Transfer

extension RequestBuilder {
    /// The content of a request, and what type it has unless a header field says otherwise.
    struct Content {
        var body: TransferBody = .none
        var type: String?
    }

    /// The content that a task brings or that its parameters become.
    func content(
        of task: TaskRequest, _ method: HTTPRequest.Method?, _ problems: inout [RequestProblem]
    ) -> Content {
        guard let body = task.body else {
            return contentOfParameters(of: task, method, &problems)
        }
        if task.parameters != nil {
            problems.append(RequestProblem(["body"], "A task has parameters or a body, not both"))
        }
        if method == .get || method == .head {
            problems.append(RequestProblem(["body"], "A GET or HEAD request has no body"))
        }
        switch body {
        case .text(let text):
            return Content(body: .bytes(Array(text.utf8)), type: "text/plain; charset=utf-8")
        case .bytes(let bytes):
            return Content(body: .bytes(bytes), type: "application/octet-stream")
        case .json(let bytes):
            do throws(JSONSyntaxError) {
                _ = try JSONValidator.validate(bytes)
            } catch {
                problems.append(RequestProblem(["body", "json"], error.description))
            }
            return Content(body: .bytes(bytes), type: "application/json")
        }
    }

    private func contentOfParameters(
        of task: TaskRequest, _ method: HTTPRequest.Method?, _ problems: inout [RequestProblem]
    ) -> Content {
        guard let parameters = task.parameters, let method,
            !configuration.request.methodsWithParametersInURL.contains(method)
        else { return Content() }
        // A request with content whose meaning nobody defines (RFC 9110 §9.3.1).
        if method == .get || method == .head {
            problems.append(RequestProblem(["parameters"], "A GET or HEAD request has no body to put parameters into"))
        }
        let serializer = (task.requestSerializer ?? configuration.request.serializer).serializer
        do throws(RequestSerializationError) {
            let serialized = try serializer.serialize(parameters)
            return Content(body: .bytes(serialized.bytes), type: serialized.contentType)
        } catch {
            problems.append(RequestProblem(["parameters"], error.message))
            return Content()
        }
    }
}
