import ErrandSupport
import Foundation
import HTTPSession

/// A version of the content that a test server has.
struct ServedContent: Sendable {
    var bytes: [UInt8]
    /// The field with the validator.
    var validator = #"ETag: "v1""#

    /// Creates content of a number of bytes, which differs for each seed.
    init(_ count: Int, seed: UInt64 = 1, validator: String = #"ETag: "v1""#) {
        bytes = .noise(count, seed: seed)
        self.validator = validator
    }

    /// Sends the head of a response with the whole content, but only the first bytes of it.
    func send(first count: Int, on connection: ScriptedConnection) throws {
        try connection.send("HTTP/1.1 200 OK\r\n\(validator)\r\nContent-Length: \(bytes.count)\r\n\r\n")
        try connection.send(Array(bytes.prefix(count)))
    }

    /// Sends the part that a request asks for, without checking its condition.
    func respond(to request: ScriptedRequest, on connection: ScriptedConnection) throws {
        guard let part = request.byteRange(of: bytes.count) else { return try send(first: bytes.count, on: connection) }
        try send(part, on: connection)
    }

    /// Sends a part with a status of 206.
    func send(_ part: Range<Int>, on connection: ScriptedConnection) throws {
        let range = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
        try connection.send(
            "HTTP/1.1 206 Partial Content\r\n\(validator)\r\nContent-Range: \(range)\r\n"
                + "Content-Length: \(part.count)\r\n\r\n")
        try connection.send(Array(bytes[part]))
    }

    /// Returns a server that closes its first connection after a number of bytes, and answers later requests.
    func server(
        cutAfter count: Int, later: @escaping @Sendable (ScriptedRequest, ScriptedConnection) throws -> Void
    ) throws -> ScriptedServer {
        try ScriptedServer { [self] connection in
            let request = try connection.readRequest()
            guard connection.number > 0 else { return try send(first: count, on: connection) }
            try later(request, connection)
        }
    }

    /// Writes the first bytes to a file, and returns the data of a download that was interrupted after them.
    func interrupted(after count: Int, in folder: TemporaryFolder, at origin: String) throws -> DownloadResumeData {
        let path = try folder.write(bytes.prefix(count), to: "interrupted.part")
        return DownloadResumeData(
            url: "\(origin)/file", validator: #""v1""#, received: Int64(count), total: Int64(bytes.count),
            partialPath: path)
    }
}

extension TemporaryFolder {
    /// Returns the bytes of a file; `nil` if there is none.
    func bytes(of name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: self[name]).map { Array($0) }
    }

    /// The destination with a name in the folder.
    func destination(_ name: String) -> DownloadDestination { .path(self[name]) }
}
