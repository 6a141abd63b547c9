import ErrandSupport
import Foundation

/// A connection to a gateway, used like a client.
struct APIClient {
    /// The connection.
    let connection: RawHTTPClient
    private let host: String

    init(port: UInt16) throws {
        connection = try RawHTTPClient(port: port)
        host = "127.0.0.1:\(port)"
    }

    init(unixSocket path: String) throws {
        connection = try RawHTTPClient(unixSocket: path)
        host = "localhost"
    }

    /// Sends a request and reads its response.
    ///
    /// - Parameters:
    ///   - headers: Field lines; `Host` is added unless it is among them.
    ///   - json: Content, sent with its type and length.
    func send(
        _ method: String, _ path: String, _ headers: [String] = [], json: String? = nil
    ) async throws -> RawHTTPClient.Response {
        try await connection.exchange(text(method, path, headers, json), isHead: method == "HEAD")
    }

    private func text(_ method: String, _ path: String, _ headers: [String], _ json: String?) -> String {
        var lines = ["\(method) \(path) HTTP/1.1"] + headers
        if !headers.contains(where: { $0.lowercased().hasPrefix("host:") }) { lines.append("Host: \(host)") }
        if let json {
            if !headers.contains(where: { $0.lowercased().hasPrefix("content-type:") }) {
                lines.append("Content-Type: application/json")
            }
            lines.append("Content-Length: \(json.utf8.count)")
        } else if method == "POST" {
            lines.append("Content-Length: 0")
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (json ?? "")
    }

    func get(_ path: String, _ headers: String...) async throws -> RawHTTPClient.Response {
        try await send("GET", path, headers)
    }

    func post(_ path: String, json: String? = nil, _ headers: String...) async throws -> RawHTTPClient.Response {
        try await send("POST", path, headers, json: json)
    }

    /// Creates a task.
    func create(_ json: String, _ query: String = "") async throws -> TaskView {
        try TaskView(await post("/v1/tasks\(query)", json: json), expecting: query.isEmpty ? [202] : [200, 202])
    }

    /// Creates a task and waits for its end.
    func run(_ json: String) async throws -> TaskView {
        try await finished(create(json))
    }

    /// Waits for the end of a task.
    func finished(_ task: TaskView) async throws -> TaskView {
        var task = task
        while !task.done {
            try Task.checkCancellation()
            task = try await TaskView(get("/v1/tasks/\(task.id)?wait=10s"))
        }
        return task
    }

    /// Waits for the end of a task's first attempt.
    func attempted(_ task: TaskView) async throws -> TaskView {
        var task = task
        while task.attempts.isEmpty, !task.done {
            try Task.checkCancellation()
            let response = try await get(
                "/v1/tasks/\(task.id)?wait=10s&wait_for=change", "If-None-Match: \"r\(task.revision)\"")
            if response.status != 304 { task = try TaskView(response) }
        }
        return task
    }

    /// Reads a task.
    func task(_ id: String) async throws -> TaskView {
        try await TaskView(get("/v1/tasks/\(id)"))
    }

    /// Reads a page of the list.
    func list(_ query: String = "") async throws -> ListPage<TaskView> {
        try await page(query)
    }

    /// Reads each page of a list and calls `body` with each task.
    ///
    /// - Parameter query: The filters and `fields`, such as `&state=failed&fields=error`.
    func forEachTask<Task: Decodable>(_ query: String = "", _ body: (Task) async throws -> Void) async throws {
        var token: String?
        repeat {
            let page: ListPage<Task> = try await page(
                "?page_size=1000\(query)" + (token.map { "&page_token=\($0)" } ?? ""))
            for task in page.tasks { try await body(task) }
            token = page.nextPageToken
        } while token != nil
    }

    private func page<Task>(_ query: String) async throws -> ListPage<Task> {
        let response = try await get("/v1/tasks\(query)")
        guard response.status == 200 else { throw UnexpectedResponse(response: response) }
        return try TaskView.decoder.decode(ListPage<Task>.self, from: Data(response.body))
    }
}

/// The response has an unexpected status.
struct UnexpectedResponse: Error, CustomStringConvertible {
    var response: RawHTTPClient.Response

    var description: String { "\(response.head)\n\(response.text)" }
}
