/// The header fields of a part of a `multipart/form-data` body (RFC 7578 §4).
package struct MultipartPartHead: Sendable, Hashable {
    /// The `name` of its `Content-Disposition`.
    package let name: String
    /// The value of its `Content-Type`; `nil` without one.
    package let contentType: String?

    /// Creates the head of a part.
    package init(name: String, contentType: String? = nil) {
        self.name = name
        self.contentType = contentType
    }

    /// Parses the lines of a head, each with its line end.
    ///
    /// Fields other than `Content-Disposition`, `Content-Type` and `Content-Transfer-Encoding` are ignored.
    ///
    /// - Throws: The fault in words.
    init(lines: [UInt8]) throws(Fault) {
        var fields: [String: String] = [:]
        for line in Self.split(lines) {
            let (name, value) = try Self.field(line)
            guard Self.known.contains(name) else { continue }
            guard fields.updateValue(value, forKey: name) == nil else {
                throw Fault("the head of a part has the field \(name) more than once")
            }
        }
        name = try Self.name(fields["content-disposition"])
        contentType = fields["content-type"]
        if let coding = fields["content-transfer-encoding"]?.lowercased(), !Self.identities.contains(coding) {
            throw Fault("the part \(Self.quoted(name)) has a Content-Transfer-Encoding; send its bytes as they are")
        }
    }

    /// A fault of a head in words.
    struct Fault: Error {
        var detail: String

        init(_ detail: String) {
            self.detail = detail
        }
    }

    /// Returns a name as messages show it.
    package static func quoted(_ name: String) -> String {
        "\"\(name.utf8.count > 64 ? "\(name.prefix(32))…" : name)\""
    }

    private static let known: Set = ["content-disposition", "content-type", "content-transfer-encoding"]
    /// The codings that leave the bytes as they are (RFC 2045 §6.2).
    private static let identities: Set = ["7bit", "8bit", "binary"]

    /// Returns the lines without their ends.
    private static func split(_ lines: [UInt8]) -> [ArraySlice<UInt8>] {
        lines.split(separator: UInt8(ascii: "\n")).map { $0.dropLast() }
    }

    /// Returns the name of a field in lower case, and its value.
    private static func field(_ line: ArraySlice<UInt8>) throws(Fault) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Token.isToken(line[..<colon]) else {
            throw Fault("a line in the head of a part is no header field; write NAME: VALUE")
        }
        let bytes = line[(colon + 1)...]
        guard bytes.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }),
            let value = String(validating: bytes, as: UTF8.self)
        else {
            throw Fault("a header field of a part has control characters, or is not UTF-8")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        return (name, String(value[...].trimmingOptionalWhitespace()))
    }

    private static func name(_ disposition: String?) throws(Fault) -> String {
        guard let disposition else {
            throw Fault(#"a part has no Content-Disposition; write Content-Disposition: form-data; name="…""#)
        }
        let end = disposition.utf8.firstIndex(of: UInt8(ascii: ";")) ?? disposition.endIndex
        let type = disposition[..<end].trimmingOptionalWhitespace()
        let names = MediaType.parameters(disposition[end...]).filter { $0.name == "name" }
        guard type.lowercased() == "form-data", names.count == 1 else {
            throw Fault(#"the Content-Disposition of a part is not form-data with one name; write form-data; name="…""#)
        }
        return names[0].value
    }
}
