import Foundation

/// An independent parser of multipart bodies: that of Python's `email` package.
enum EmailParser {
    /// A part as parsed by Python.
    struct Part: Decodable, Equatable {
        var name: String
        var filename: String?
        var type: String
        /// The name and the value of each header field.
        var headers: [[String]]
        var content: Data
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Latin-1 maps each byte to a character and back, so that Python changes nothing.
    private static let script = """
        import base64, email, json, sys
        raw = sys.stdin.buffer.read().decode('latin-1')
        text = lambda value: None if value is None else value.encode('latin-1').decode('utf-8')
        message = email.message_from_string(raw)
        assert message.is_multipart() and not message.defects, message.defects
        assert not message.preamble and not message.epilogue, 'something around the parts'
        print(json.dumps([{
            'name': text(part.get_param('name', header='content-disposition')),
            'filename': text(part.get_param('filename', header='content-disposition')),
            'type': part.get_content_type(),
            'headers': [[text(name), text(value)] for name, value in part.items()],
            'content': base64.b64encode(part.get_payload().encode('latin-1')).decode('ascii'),
        } for part in message.get_payload()]))
        """

    /// Parses a body on a thread that may block.
    static func parse(contentType: String, body: [UInt8]) async throws -> [Part] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try run(contentType: contentType, body: body) })
            }
        }
    }

    private static func run(contentType: String, body: [UInt8]) throws -> [Part] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let message = folder.appendingPathComponent("message")
        try Data("MIME-Version: 1.0\r\nContent-Type: \(contentType)\r\n\r\n".utf8 + body).write(to: message)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        process.standardInput = try FileHandle(forReadingFrom: message)
        let output = Pipe()
        let problems = Pipe()
        process.standardOutput = output
        process.standardError = problems
        try process.run()
        let parts = output.fileHandleForReading.readDataToEndOfFile()
        let problem = problems.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: String(decoding: problem, as: UTF8.self))
        }
        return try JSONDecoder().decode([Part].self, from: parts)
    }
}
