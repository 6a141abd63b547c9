import ErrandSupport
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
        raw = open(sys.argv[1], 'rb').read().decode('latin-1')
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

    /// Parses a body.
    static func parse(contentType: String, body: [UInt8]) async throws -> [Part] {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let head = "MIME-Version: 1.0\r\nContent-Type: \(contentType)\r\n\r\n"
        let message = try folder.write(Array(head.utf8) + body, to: "message")
        let result = try await ChildProcess("/usr/bin/env", ["python3", "-c", script, message]).result()
        guard result.exit == .status(0) else { throw Failure(description: result.errors) }
        return try JSONDecoder().decode([Part].self, from: Data(result.output.utf8))
    }
}
