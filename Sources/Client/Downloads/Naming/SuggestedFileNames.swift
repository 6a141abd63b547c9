import ErrandHTTPGrammar
import ErrandText

/// The texts of a response from which its file can be named.
package struct SuggestedFileNames: Sendable, Hashable {
    /// The texts as received, the best first.
    package let texts: [String]

    /// The name of a file for which nothing else is suggested.
    private static let general = "download"

    /// Finds the suggestions of a response.
    ///
    /// - Parameters:
    ///   - contentDisposition: The value of the `Content-Disposition` field (RFC 6266), if any.
    ///   - url: The absolute URL of the response, whose last segment is decoded.
    package init(contentDisposition: String?, url: String) {
        let disposition = contentDisposition.flatMap { ContentDisposition($0) }
        let suggested = [disposition?.filename, disposition?.plainFilename, Self.lastSegment(of: url)]
        texts = suggested.compactMap { $0 } + [Self.general]
    }

    /// Returns the name from the first suggestion that has one.
    ///
    /// - Parameter maxBytes: The maximum length in bytes of UTF-8.
    /// - Returns: `nil` if `maxBytes` is below 1.
    package func name(maxBytes: Int = FileName.maxBytes) -> FileName? {
        for text in texts {
            if let name = FileName(suggestedBy: text, maxBytes: maxBytes) { return name }
        }
        return nil
    }

    /// The name from the first suggestion that has one, of any length that file systems allow.
    var filename: String { name()?.text ?? Self.general }

    /// Returns the last segment of a URL's path, decoded if it is UTF-8.
    private static func lastSegment(of url: String) -> String? {
        let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? url.endIndex
        let parts = url[..<end].utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // The first three are the scheme, an empty one and the authority.
        guard parts.count > 3, let last = parts.last, !last.isEmpty else { return nil }
        return PercentCoding.decodedText(Substring(last)) ?? String(Substring(last))
    }
}
