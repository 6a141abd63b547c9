import HTTPGrammar

/// The line that stands between the parts of a multipart body (RFC 2046 §5.1.1).
///
/// It must not occur in a part. Content is streamed and cannot be searched beforehand: 64 random bits make that as good
/// as impossible.
public struct MultipartBoundary: Sendable, Hashable, CustomStringConvertible {
    /// The boundary without the hyphens that stand before it in the body.
    public let description: String

    /// A random boundary from the system's randomness: `Boundary+` and 16 hexadecimal digits.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// A boundary from the next two random numbers of `generator`.
    public init(using generator: inout some RandomNumberGenerator) {
        description = "Boundary+" + Self.digits(generator.next()) + Self.digits(generator.next())
    }

    /// A boundary of the caller's choice; `nil` when `text` is not 1 to 70 of the characters that RFC 2046 allows, or
    /// ends with a space.
    public init?(_ text: String) {
        guard (1...70).contains(text.utf8.count), text.utf8.allSatisfy(Self.isBoundaryCharacter),
            text.utf8.last != UInt8(ascii: " ")
        else { return nil }
        description = text
    }

    /// The media type of a form with this boundary (RFC 7578 §4.1), for `Content-Type`.
    var contentType: String {
        let value = Token.isToken(description.utf8) ? description : ParameterValue.quoted(description)
        return "multipart/form-data; boundary=\(value)"
    }

    /// Eight digits, with zeros before the number.
    private static func digits(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    private static func isBoundaryCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}
