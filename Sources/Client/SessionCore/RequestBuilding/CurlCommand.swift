import ErrandText
import ErrandTransfer
import HTTPTypes

/// A request as a `curl` command line for a POSIX shell.
struct CurlCommand: CustomStringConvertible {
    /// The maximum number of content bytes that are written out; longer content is named as a file.
    static let maxContentBytes = 1024

    private(set) var description: String

    init(_ request: PreparedRequest) {
        description = "curl"
        // Enough for most commands, so that the text is not copied as it grows.
        description.reserveCapacity(256)
        // With -X HEAD, curl would wait for content.
        if request.method == .head {
            description += " --head"
        } else {
            description += " -X"
            appendMethod(request.method.rawValue)
        }
        if request.transfer.acceptsCompression { description += " --compressed" }
        var (hasAccept, hasUserAgent) = (false, false)
        for field in request.shownHeaders {
            hasAccept = hasAccept || field.name == .accept
            hasUserAgent = hasUserAgent || field.name == .userAgent
            let value = field.value
            description += " -H '"
            appendEscaped(field.name.rawName)
            // "Name:" would remove a header; "Name;" sends an empty one.
            description += value.isEmpty ? ";" : ": "
            appendEscaped(value)
            description += "'"
        }
        // Otherwise curl would send its own.
        if !hasAccept, !request.transfer.acceptsAnything { description += " -H 'Accept:'" }
        if !hasUserAgent { description += " -H 'User-Agent:'" }
        appendContent(of: request.transfer)
        appendQuoted(request.shownURL)
    }

    /// Appends a method, quoted if it has characters that may be special in a shell (RFC 9110 §5.6.2 permits some).
    private mutating func appendMethod(_ method: String) {
        let isPlain = method.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        guard isPlain else { return appendQuoted(method) }
        description += " "
        description += method
    }

    private mutating func appendContent(of transfer: TransferRequest) {
        if case .none = transfer.body { return }
        // Otherwise curl would send a Content-Type of a form.
        if !transfer.headers.contains(.contentType) { description += " -H 'Content-Type:'" }
        if case .bytes(let bytes) = transfer.body, bytes.count <= Self.maxContentBytes, !bytes.contains(0),
            let text = String(validating: bytes, as: UTF8.self)
        {
            description += " --data-raw"
            appendQuoted(text)
        } else {
            description += " --data-binary @body"
        }
    }

    /// Appends a word, quoted for a shell.
    private mutating func appendQuoted(_ word: String) {
        description += " '"
        appendEscaped(word)
        description += "'"
    }

    /// Appends a text between single quotes, where only the single quote is special (POSIX.1 XCU §2.2.2).
    private mutating func appendEscaped(_ text: String) {
        var rest = text[...]
        // Searches bytes, because a quote and a combining character after it are one character.
        while let quote = rest.utf8.firstIndex(of: UInt8(ascii: "'")) {
            description.append(contentsOf: rest[..<quote])
            description += #"'\''"#
            rest = rest[rest.utf8.index(after: quote)...]
        }
        description.append(contentsOf: rest)
    }
}
