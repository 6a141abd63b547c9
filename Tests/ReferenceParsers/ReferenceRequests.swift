/// A strict parser of requests by the letter of RFC 9112, as a server in front could interpret the bytes.
///
/// It is slow and simple on purpose: it works on all bytes at once, line by line, and shares no code with the server.
public struct ReferenceRequests: Sendable, Equatable {
    /// The bytes after the last complete request.
    public enum Rest: Sendable, Equatable {
        case nothing
        case incomplete
        case malformed
    }

    /// The number of complete requests.
    public private(set) var complete = 0
    /// The bytes after them.
    public private(set) var rest = Rest.nothing

    private struct Stop: Error {
        var rest: Rest
    }

    private var bytes: ArraySlice<UInt8>

    /// Parses all bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
        do throws(Stop) {
            while try skipEmptyLines() {
                try readRequest()
                complete += 1
            }
        } catch {
            rest = error.rest
        }
        self.bytes = []
    }

    /// Skips empty lines.
    ///
    /// - Returns: `false` at the end of the bytes.
    private mutating func skipEmptyLines() throws(Stop) -> Bool {
        var count = 0
        while !bytes.isEmpty {
            guard bytes.first == 0x0D else { return true }
            guard try line().isEmpty, count < 2 else { throw Stop(rest: .malformed) }
            count += 1
        }
        guard count == 0 else { throw Stop(rest: .incomplete) }
        return false
    }

    private mutating func readRequest() throws(Stop) {
        try Self.checkRequestLine(try line())
        let fields = try self.fields()
        let lengths = fields.filter { $0.name == "content-length" }.map(\.value)
        let codings = fields.filter { $0.name == "transfer-encoding" }.map(\.value)
        guard lengths.count + codings.count <= 1 else { throw Stop(rest: .malformed) }
        if let coding = codings.first {
            guard coding.lowercased() == "chunked" else { throw Stop(rest: .malformed) }
            try skipChunks()
        } else if let length = lengths.first {
            guard !length.isEmpty, length.utf8.allSatisfy(Self.isDigit), let count = Int(length), count < .max else {
                throw Stop(rest: .malformed)
            }
            try skip(count)
        }
    }

    private static func checkRequestLine(_ line: String) throws(Stop) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty,
            parts[1].unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }), parts[2].utf8.count == 8,
            parts[2].hasPrefix("HTTP/1."), parts[2].utf8.last.map(isDigit) == true
        else { throw Stop(rest: .malformed) }
    }

    private mutating func fields() throws(Stop) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        while true {
            let line = try self.line()
            guard !line.isEmpty else { return fields }
            guard let colon = line.unicodeScalars.firstIndex(of: ":"), Self.isToken(String(line[..<colon])) else {
                throw Stop(rest: .malformed)
            }
            let value = line.unicodeScalars[line.unicodeScalars.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append((line[..<colon].lowercased(), String(value)))
        }
    }

    private mutating func skipChunks() throws(Stop) {
        while true {
            let line = try self.line()
            let digits = String(line.prefix { $0 != ";" })
            guard !digits.isEmpty, digits.utf8.allSatisfy(Self.isHexadecimal), let size = Int(digits, radix: 16),
                Self.areExtensions(Array(line.unicodeScalars.dropFirst(digits.unicodeScalars.count)))
            else { throw Stop(rest: .malformed) }
            guard size > 0 else { break }
            try skip(size)
            guard try self.line().isEmpty else { throw Stop(rest: .malformed) }
        }
        _ = try fields()
    }

    /// Returns true if a text is `*( BWS ";" BWS name [ BWS "=" BWS value ] )`, not counting the first blank.
    private static func areExtensions(_ text: [Unicode.Scalar]) -> Bool {
        var rest = text[...]
        func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }
        func takeToken() -> Bool {
            let token = rest.prefix { isToken(String($0)) }
            rest = rest.dropFirst(token.count)
            return !token.isEmpty
        }
        while rest.first == ";" {
            rest = rest.dropFirst()
            skipBlanks()
            guard takeToken() else { return false }
            if rest.isEmpty { return true }
            skipBlanks()
            if rest.first == "=" {
                rest = rest.dropFirst()
                skipBlanks()
                if rest.first == "\"" {
                    rest = rest.dropFirst()
                    while let next = rest.first, next != "\"" {
                        rest = rest.dropFirst()
                        if next == "\\" {
                            guard rest.first.map({ $0 == "\t" || $0.value >= 0x20 && $0.value != 0x7F }) == true else {
                                return false
                            }
                            rest = rest.dropFirst()
                        } else if next != "\t", next.value < 0x20 || next.value == 0x7F {
                            return false
                        }
                    }
                    guard rest.first == "\"" else { return false }
                    rest = rest.dropFirst()
                } else {
                    guard takeToken() else { return false }
                }
                if rest.isEmpty { return true }
                skipBlanks()
            }
            guard rest.first == ";" else { return false }
        }
        return rest.isEmpty
    }

    /// Returns the next line without its CRLF, each byte as one character (ISO 8859-1).
    private mutating func line() throws(Stop) -> String {
        for index in bytes.indices {
            switch bytes[index] {
            case 0, 0x0A:
                throw Stop(rest: .malformed)
            case 0x0D:
                guard index + 1 < bytes.endIndex else { throw Stop(rest: .incomplete) }
                guard bytes[index + 1] == 0x0A else { throw Stop(rest: .malformed) }
                defer { bytes = bytes[(index + 2)...] }
                return String(String.UnicodeScalarView(bytes[..<index].map { Unicode.Scalar($0) }))
            default:
                continue
            }
        }
        throw Stop(rest: .incomplete)
    }

    private mutating func skip(_ count: Int) throws(Stop) {
        guard bytes.count >= count else { throw Stop(rest: .incomplete) }
        bytes = bytes.dropFirst(count)
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { character in
                character.isASCII
                    && (character.properties.isAlphabetic
                        || "0123456789!#$%&'*+-.^_`|~".unicodeScalars.contains(character))
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        "0123456789abcdefABCDEF".utf8.contains(byte)
    }
}
