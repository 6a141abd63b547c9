import Glibc

/// One connection of a ``ScriptedServer``, controlled by its script.
///
/// The calls block the connection's own thread.
package final class ScriptedConnection {
    /// The connection ended before the script was done, or could not be written to.
    package struct Ended: Error {}

    /// The number of the connection, from 0.
    package let number: Int
    let socket: Int32
    unowned let server: ScriptedServer
    /// The received bytes that the script has not read yet.
    var unread: [UInt8] = []

    init(number: Int, socket: Int32, server: ScriptedServer) {
        self.number = number
        self.socket = socket
        self.server = server
    }

    /// Reads a whole request, and adds it to the server's ``ScriptedServer/requests``.
    @discardableResult
    package func readRequest() throws -> ScriptedRequest {
        var request = try readHead()
        if let length = request["Content-Length"].flatMap({ Int($0) }) {
            request.body = try read(length)
            request.wireBytes += length
        } else if request["Transfer-Encoding"]?.lowercased() == "chunked" {
            try readChunks(into: &request)
        }
        server.requests.append(request)
        return request
    }

    /// Reads a request up to its content, without recording it.
    package func readHead() throws -> ScriptedRequest {
        var end: Int?
        while true {
            end = position(of: "\r\n\r\n")
            if end != nil { break }
            try receive()
        }
        let length = (end ?? 0) + 4
        let head = String(decoding: unread.prefix(length - 4), as: UTF8.self)
        unread.removeFirst(length)
        return ScriptedRequest(connection: number, head: head, body: [], wireBytes: length)
    }

    private func readChunks(into request: inout ScriptedRequest) throws {
        while true {
            let line = try readLine()
            guard let size = Int(line, radix: 16) else { throw Ended() }
            request.body += try read(size)
            _ = try readLine()
            request.wireBytes += line.utf8.count + 2 + size + 2
            if size == 0 { return }
        }
    }

    /// Reads a line, and returns it without its end.
    package func readLine() throws -> String {
        while true {
            if let end = position(of: "\r\n") {
                let line = String(decoding: unread.prefix(end), as: UTF8.self)
                unread.removeFirst(end + 2)
                return line
            }
            try receive()
        }
    }

    /// Reads that many bytes.
    package func read(_ count: Int) throws -> [UInt8] {
        while unread.count < count { try receive() }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    private func position(of mark: StaticString) -> Int? {
        unread.firstIndex(of: Array("\(mark)".utf8), from: 0)
    }

    /// Waits for more bytes, and adds them to ``unread``.
    func receive() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw Ended() }
        unread += buffer.prefix(count)
    }

    /// Sends text unchanged.
    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends bytes unchanged; waits while the peer does not read.
    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Ended() }
            sent += count
        }
    }

    /// Sends a response with a status, these field lines, and content with its length.
    package func respond(_ status: String = "200 OK", _ fields: [String] = [], body: String = "") throws {
        let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.utf8.count)"]
        try send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// A long field line for the response before ``sendFoldedResponse()``: libcurl 7.88 keeps a line on its handle.
    package static let longField = "X-Last: \(String(repeating: "x", count: 300))"

    /// Sends a response whose first field line begins with a blank (RFC 9112 §5.2), so that it cannot be parsed.
    package func sendFoldedResponse() throws {
        try send("HTTP/1.1 200 OK\r\n X: folded\r\nContent-Length: 2\r\n\r\nok")
    }

    /// Waits until the peer closes the connection, discarding received bytes.
    package func waitForClose() {
        while true {
            unread.removeAll()
            do { try receive() } catch { return }
        }
    }

    /// Ends the sending side.
    ///
    /// Unlike the end of the script, it never is a reset, which would overtake what the peer has yet to read.
    package func finishSending() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Lets the end of the script reset the connection instead of closing it.
    package func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
