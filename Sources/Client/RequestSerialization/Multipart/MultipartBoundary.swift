import ErrandHTTPGrammar
import ErrandText

/// The delimiter between the parts of a multipart body (RFC 2046 §5.1.1).
///
/// It must not occur in a part. Content is streamed and cannot be searched beforehand, so the delimiter contains 64
/// random bits, which makes a collision practically impossible.
package struct MultipartBoundary: Sendable, Hashable, CustomStringConvertible {
    /// The boundary without the hyphens that precede it in the body.
    package let description: String

    /// Creates a boundary from the system's random generator: `Boundary+` and 16 hexadecimal digits.
    package init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Creates a boundary from the next two random numbers of `generator`.
    package init(using generator: inout some RandomNumberGenerator) {
        description = "Boundary+" + Self.digits(generator.next()) + Self.digits(generator.next())
    }

    /// Creates the given boundary; returns `nil` if `text` is not 1 to 70 of the characters that RFC 2046 allows, or
    /// ends with a space.
    package init?(_ text: String) {
        guard MultipartBoundaryText.isBoundary(text) else { return nil }
        description = text
    }

    /// The media type of a form with this boundary (RFC 7578 §4.1), for `Content-Type`.
    var contentType: String {
        let value = Token.isToken(description.utf8) ? description : ParameterValue.quoted(description)
        return "multipart/form-data; boundary=\(value)"
    }

    /// Returns eight hexadecimal digits with leading zeros.
    private static func digits(_ number: UInt32) -> String {
        Hexadecimal.text(number, minimumDigits: 8, isUppercase: true)
    }
}
