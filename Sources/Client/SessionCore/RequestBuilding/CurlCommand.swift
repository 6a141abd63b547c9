import ErrandTransfer
import HTTPTypes

/// A request as a `curl` command line for a POSIX shell.
struct CurlCommand: CustomStringConvertible {
    /// The maximum number of content bytes that are written out; longer content is named as a file.
    static let maxContentBytes = 1024

    let description: String

    init(_ request: PreparedRequest) {
        var words = ["curl"]
        // With -X HEAD, curl would wait for content.
        words += request.method == .head ? ["--head"] : ["-X", request.method.rawValue]
        if request.transfer.acceptsCompression { words.append("--compressed") }
        for field in request.shownHeaders {
            // "Name:" would remove a header; "Name;" sends an empty one.
            words += ["-H", Self.quoted(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")]
        }
        words += Self.content(of: request.transfer)
        words.append(Self.quoted(request.shownURL))
        description = words.joined(separator: " ")
    }

    private static func content(of transfer: TransferRequest) -> [String] {
        let words: [String]
        switch transfer.body {
        case .none:
            return []
        case .bytes(let bytes):
            if bytes.count <= maxContentBytes, !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
                words = ["--data-raw", quoted(text)]
            } else {
                words = ["--data-binary", "@body"]
            }
        case .source:
            words = ["--data-binary", "@body"]
        }
        // Otherwise curl would send a Content-Type of a form.
        return transfer.headers.contains(.contentType) ? words : ["-H", "'Content-Type:'"] + words
    }

    /// Quotes a text for a shell: between single quotes, only the single quote is special (POSIX.1 XCU §2.2.2).
    private static func quoted(_ text: String) -> String {
        var quoted = "'"
        for character in text.unicodeScalars {
            if character == "'" { quoted += #"'\''"# } else { quoted.unicodeScalars.append(character) }
        }
        return quoted + "'"
    }
}
