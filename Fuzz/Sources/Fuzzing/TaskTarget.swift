import ErrandAuthentication
import ErrandJSON
import ErrandLogs
import ErrandRequestSerialization
import ErrandSessionCore
import ErrandTaskEngine
import ErrandTransfer
import HTTPTypes
import Logging

extension FuzzTarget {
    /// Fuzzes the document that creates a task, up to the request that its session builds from it.
    ///
    /// Each rejection has a location. No request leaves its session's origin or reveals the session's secrets.
    static let task = FuzzTarget("task") { input in
        let decoder = TaskDecoder(sessions: sessions, caller: .anonymous, maxDepth: 16)
        let task: AcceptedTask
        do throws(TaskRejection) {
            task = try await decoder.decode(input)
        } catch {
            switch error {
            case .malformed(let error): try expect((0...input.count).contains(error.offset), "it lies in the text")
            case .tooDeep(let position, let limit):
                try expect(limit == 16 && position.line >= 1, "the limit is named, and where it is exceeded")
            case .invalid(let problems):
                try expect(!problems.isEmpty, "a rejection has a reason")
                try expect(!problems.contains { $0.detail.isEmpty }, "a problem has a message")
            case .forbidden(let session):
                throw BrokenPromise(description: "an unrestricted client is denied \(session ?? "the default")")
            }
            return
        }
        guard let request = task.prepared else { throw BrokenPromise(description: "an accepted task has a request") }
        let base = try baseURL(of: task.session)
        try expect(request.transfer.url.isSameOrigin(as: base), "a task stays: \(request.transfer.url)")
        for field in request.transfer.headers {
            try expect(HTTPFieldValue.isOneLine(field.value), "a header field is one line: \(field.name.rawName)")
        }
        let shown = [request.shownURL, request.curlCommand, "\(request)"] + request.shownHeaders.map(\.value)
        try expect(!shown.contains { $0.contains(secret) }, "the session's secret is not shown: \(shown)")
    }

    private static let secret = "correct-horse-battery-staple"
    private static let origins = ["json": "http://json.example/v1/", "form": "https://form.example/a/b?c=d"]

    private static let sessions: SessionCatalog = {
        let configurations = origins.sorted { $0.key < $1.key }.compactMap { name, url -> SessionConfiguration? in
            guard let url = try? HTTPURL(url) else { return nil }
            var configuration = SessionConfiguration(name: name, baseURL: url)
            configuration.credentials = .apiKey(APIKey(place: .query("key"), value: secret))
            if name == "form" { configuration.request.serializer = .form }
            return configuration
        }
        let logger = Logger.discarding
        let factory = SessionFactory(logger: logger) { _ in NoNetwork() }
        return SessionCatalog(configurations, defaultName: "json", factory: factory, logger: logger)
    }()

    private static func baseURL(of session: String) throws -> HTTPURL {
        guard let text = origins[session] else { throw BrokenPromise(description: "there is no session \(session)") }
        return try HTTPURL(text)
    }
}

/// A transport that sends nothing.
private struct NoNetwork: Transport {
    func perform(_ request: TransferRequest, receiver: any TransferReceiver) async -> TransferOutcome {
        TransferOutcome(error: TransferError(.transportError, "there is no network"))
    }

    func connect(to url: HTTPURL, timeout: Duration) async -> TransferError? {
        TransferError(.transportError, "there is no network")
    }
}
