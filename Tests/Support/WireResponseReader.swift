/// A reader that splits the bytes of one connection into responses, and refuses anything else (RFC 9112).
package struct WireResponseReader {
    /// The reason why bytes are not a sequence of responses.
    package struct Malformed: Error, CustomStringConvertible {
        package var description: String
        /// True if the bytes end within chunked content that is valid so far.
        fileprivate var isCutStream = false

        fileprivate init(description: String, isCutStream: Bool = false) {
            self.description = description
            self.isCutStream = isCutStream
        }
    }

    /// A response; its content is checked for its framing, and not kept.
    package struct Response: Sendable {
        /// The status code.
        package var status: Int
        /// The header fields, with names in lower case.
        package var fields: [String: String]
    }

    private var rest: ArraySlice<UInt8>

    /// Returns all responses of a connection, without interim ones (1xx).
    ///
    /// - Parameters:
    ///   - mayBeCut: True if the connection was reset, so that the last response may be incomplete.
    ///   - streamsMayBeCut: True if the client has closed its sending side while it was waiting, so that a server may
    ///     regard it as gone and end a streamed response early.
    package static func responses(
        in bytes: [UInt8], mayBeCut: Bool, streamsMayBeCut: Bool = false
    ) throws(Malformed) -> [Response] {
        var reader = WireResponseReader(rest: bytes[...])
        var responses: [Response] = []
        while !reader.rest.isEmpty {
            let start = reader.rest
            do throws(Malformed) {
                let response = try reader.response()
                if response.status >= 200 { responses.append(response) }
            } catch {
                guard mayBeCut || streamsMayBeCut && error.isCutStream else {
                    throw Malformed(description: "\(error): \(Self.shown(start))")
                }
                return responses
            }
        }
        return responses
    }

    private mutating func response() throws(Malformed) -> Response {
        let head = try self.head()
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let statusLine = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard statusLine.count == 3, statusLine[0] == "HTTP/1.1" || statusLine[0] == "HTTP/1.0",
            statusLine[1].utf8.count == 3, let status = Int(statusLine[1]), (100...599).contains(status)
        else { throw Malformed(description: "no status line") }
        var response = Response(status: status, fields: [:])
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }
            guard !name.isEmpty, name.utf8.count < line.utf8.count,
                name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
            else { throw Malformed(description: "no header field: \(line)") }
            response.fields[name.lowercased()] = String(line.dropFirst(name.count + 1).drop { $0 == " " })
        }
        if status >= 200, status != 204, status != 304 {
            try skipBody(of: response)
        }
        return response
    }

    private mutating func head() throws(Malformed) -> String {
        let end = Array("\r\n\r\n".utf8)
        guard let found = rest.indices.first(where: { rest[$0...].starts(with: end) }) else {
            throw Malformed(description: "a head without end")
        }
        defer { rest = rest[(found + end.count)...] }
        guard let head = String(validating: rest[..<found], as: UTF8.self) else {
            throw Malformed(description: "a head that is no text")
        }
        return head
    }

    private mutating func skipBody(of response: Response) throws(Malformed) {
        switch (response.fields["content-length"], response.fields["transfer-encoding"]) {
        case (let length?, nil):
            guard let count = Int(length), count >= 0 else { throw Malformed(description: "no length: \(length)") }
            _ = try take(count)
        case (nil, "chunked"?):
            try skipChunks()
        case (nil, nil):
            rest = []
        default:
            throw Malformed(description: "two ends of the content")
        }
    }

    private mutating func skipChunks() throws(Malformed) {
        while true {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                throw Malformed(description: "no chunk", isCutStream: rest.count < 10)
            }
            guard let size = Int(String(decoding: rest[..<end].dropLast(), as: UTF8.self), radix: 16) else {
                throw Malformed(description: "no size of a chunk")
            }
            rest = rest[(end + 1)...]
            guard rest.count >= size + 2 else {
                throw Malformed(description: "\(rest.count) bytes of a chunk of \(size)", isCutStream: true)
            }
            _ = try take(size)
            guard try take(2) == Array("\r\n".utf8) else { throw Malformed(description: "no end of a chunk") }
            if size == 0 { return }
        }
    }

    private mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
        guard rest.count >= count else { throw Malformed(description: "\(rest.count) bytes instead of \(count)") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(400), as: UTF8.self).debugDescription
    }
}
