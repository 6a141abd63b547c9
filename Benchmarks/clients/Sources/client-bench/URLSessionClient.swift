import Foundation
import FoundationNetworking

/// The client of Foundation.
struct URLSessionClient: MeasuredClient {
    private let session: URLSession

    init(connections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
    }

    func get(_ url: String) async throws -> Int {
        let (data, response) = try await session.data(from: address(url))
        try check(response)
        return data.count
    }

    func download(_ url: String, to path: String) async throws {
        let (file, response) = try await session.download(from: address(url))
        try check(response)
        try FileManager.default.moveItem(at: file, to: URL(fileURLWithPath: path))
    }

    func close() {
        session.finishTasksAndInvalidate()
    }

    private func address(_ url: String) throws -> URL {
        guard let address = URL(string: url) else { throw URLError(.badURL) }
        return address
    }

    private func check(_ response: URLResponse) throws {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else { throw UnexpectedStatus(status: status) }
    }
}
