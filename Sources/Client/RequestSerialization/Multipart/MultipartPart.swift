import ErrandHTTPGrammar
import ErrandText
package import ErrandTransfer

/// One part of a form (RFC 7578 §4): a field with its value, or a file.
package struct MultipartPart: Sendable {
    /// The name of the field; `nil` for a part that is described by its header fields only.
    package let name: String?
    /// The name of the file; `nil` for a field that is not a file.
    package let filename: String?
    /// The media type of the content; `nil` to send none, which means `text/plain`.
    package let contentType: String?
    /// Additional header fields, in this order.
    package let headers: [Header]
    /// The content.
    package let content: Content
    /// The number of bytes of the content.
    package let length: Int64

    /// A header field of a part.
    package struct Header: Sendable, Hashable {
        /// The name, a token.
        package var name: String
        /// The value.
        package var value: String

        /// Creates a header field, which ``MultipartPart`` validates.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The content of a part.
    package enum Content: Sendable {
        /// Bytes in memory.
        case bytes([UInt8])
        /// Bytes from a source that are read while they are sent; the source knows its length and belongs to the part.
        case source(any BodySource)
    }

    /// Creates a part.
    ///
    /// Names are sent in UTF-8 with `"`, CR and LF as `%22`, `%0D` and `%0A` (WHATWG, *multipart/form-data encoding
    /// algorithm*), and nothing else escaped.
    ///
    /// - Parameters:
    ///   - name: The name of the field; `nil` for a part without a derived `Content-Disposition`.
    ///   - filename: The name of the file; `nil` for a field that is not a file, or without a name.
    ///   - contentType: The media type of the content.
    ///   - headers: Additional header fields. `Content-Type` and, if the part has a name, `Content-Disposition` are
    ///     derived from the other parameters, and a part has no `Content-Length`.
    ///   - content: The content.
    /// - Throws: ``RequestSerializationError`` if a name contains a NUL, a part without a name has a filename, the
    ///   media type or a header field is malformed, a header field is a duplicate or one of these three, or the length
    ///   of the content is unknown.
    package init(
        name: String?, filename: String? = nil, contentType: String? = nil, headers: [Header] = [], content: Content
    ) throws(RequestSerializationError) {
        for (member, text) in [("name", name ?? ""), ("filename", filename ?? "")] where text.utf8.contains(0) {
            throw RequestSerializationError(message: "The name of a part contains a NUL character", at: [member])
        }
        guard name != nil || filename == nil else {
            throw RequestSerializationError(message: "A part without a name has a filename", at: ["filename"])
        }
        if let contentType, !Self.isContentType(contentType) {
            throw RequestSerializationError(
                message: "The content type of a part is not a media type", at: ["content_type"])
        }
        try Self.judge(headers, hasName: name != nil)
        guard let length = content.length, length >= 0 else {
            throw RequestSerializationError(message: "The length of a part is unknown")
        }
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.headers = headers
        self.content = content
        self.length = length
    }

    /// Creates a part for a file.
    ///
    /// - Parameters:
    ///   - name: The name of the field; `nil` for a part without a derived `Content-Disposition`.
    ///   - path: The path of the file, of which only the last component is used.
    ///   - filename: The name that is sent; by default the last component of `path`, and none without a field name.
    ///   - contentType: The media type; by default determined by the extension of the sent name,
    ///     `application/octet-stream` if it is unknown.
    ///   - headers: Additional header fields, as in ``init(name:filename:contentType:headers:content:)``.
    ///   - source: The source of the file's bytes.
    /// - Throws: The errors of ``init(name:filename:contentType:headers:content:)``.
    package static func file(
        name: String?, path: String, filename: String? = nil, contentType: String? = nil, headers: [Header] = [],
        source: any BodySource
    ) throws(RequestSerializationError) -> MultipartPart {
        let shown = filename ?? path.pathNames().last ?? ""
        return try MultipartPart(
            name: name, filename: name == nil ? filename : shown,
            contentType: contentType ?? FileMediaType.ofFile(named: shown), headers: headers, content: .source(source))
    }
}

extension MultipartPart {
    /// The header fields and the empty line after them.
    var head: String {
        var head = ""
        if let name {
            head += Self.fieldStart
            head += "\(Self.escaped(name))\""
            if let filename { head += "; filename=\"\(Self.escaped(filename))\"" }
            head += "\r\n"
        }
        if let contentType { head += "Content-Type: \(contentType)\r\n" }
        for header in headers {
            head += "\(header.name): \(header.value)\r\n"
        }
        return head + "\r\n"
    }

    private static let fieldStart = "Content-Disposition: form-data; name=\""

    /// Returns the number of bytes of the ``head`` of a field with nothing but a name.
    static func headBytes(ofFieldNamed name: some Sequence<UInt8>) -> Int {
        name.reduce(fieldStart.utf8.count + "\"\r\n\r\n".utf8.count) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): count + 3
            default: count + 1
            }
        }
    }

    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func judge(_ headers: [Header], hasName: Bool) throws(RequestSerializationError) {
        var names: Set<String> = []
        for header in headers {
            let name = header.name.lowercased()
            guard Token.isToken(header.name.utf8) else {
                throw RequestSerializationError(
                    message: "The name of a header field of a part is not a token", at: ["headers", header.name])
            }
            guard isFieldValue(header.value) else {
                throw RequestSerializationError(
                    message: "The header field \(header.name) of a part contains a control character",
                    at: ["headers", header.name])
            }
            if let reason = reserved[name], hasName || name != "content-disposition" {
                throw RequestSerializationError(
                    message: "A part must not set \(header.name): \(reason)", at: ["headers", header.name])
            }
            guard names.insert(name).inserted else {
                throw RequestSerializationError(
                    message: "A part has the header field \(header.name) twice", at: ["headers", header.name])
            }
        }
    }

    /// The header fields that callers must not set, with the reasons.
    private static let reserved = [
        "content-disposition": "it is derived from the name and the filename",
        "content-type": "it is set by content_type",
        "content-length": "the boundary ends the content",
    ]

    /// Returns whether a part can have this content type: a media type or a single token, which old receivers expect.
    private static func isContentType(_ text: String) -> Bool {
        isFieldValue(text) && (MediaType(text) != nil || Token.isToken(text.utf8))
    }

    /// Returns whether a header field can have this value: no control characters except tab (RFC 9110 §5.5).
    private static func isFieldValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { byte in byte == UInt8(ascii: "\t") || (byte >= 0x20 && byte != 0x7F) }
    }
}

extension MultipartPart.Content {
    /// The number of bytes, or `nil` if unknown.
    fileprivate var length: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }
}
