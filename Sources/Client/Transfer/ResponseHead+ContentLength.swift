import ErrandText
import HTTPTypes

extension ResponseHead {
    /// Returns the number of content bytes after the head, before decoding; `nil` if the head does not state it.
    ///
    /// Follows RFC 9112 §6.3: a response to HEAD, a 204 and a 304 have no content, whatever their fields say;
    /// `Transfer-Encoding` overrides `Content-Length`; a length repeated in one field or several counts once.
    ///
    /// - Parameter isForHEAD: True if the request's method was HEAD.
    /// - Throws: ``TransferError/Code/cannotParseResponse`` if a length is not a number, exceeds 2⁶³ − 1, or differs
    ///   from another one: the end of the content is then unknown.
    public func contentLength(toHEAD isForHEAD: Bool) throws(TransferError) -> Int64? {
        if isForHEAD || status == 204 || status == 304 { return 0 }
        guard headers.contains(.contentLength), !headers.contains(.transferEncoding) else { return nil }
        var length: Int64?
        for field in headers where field.name == .contentLength {
            let value = field.value
            var rest = value.utf8[...]
            while true {
                let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
                let number = try Self.length(rest[..<end])
                guard length == nil || length == number else {
                    throw TransferError(.cannotParseResponse, "The response has conflicting values of Content-Length")
                }
                length = number
                guard end < rest.endIndex else { break }
                rest = rest[rest.index(after: end)...]
            }
        }
        return length
    }

    /// Parses `1*DIGIT` of RFC 9110 §8.6, with optional whitespace around it.
    private static func length(_ text: Substring.UTF8View) throws(TransferError) -> Int64 {
        let digits = text.drop(while: \.isASCIIBlank)
        var number: Int64 = 0
        var count = 0
        var isOver = false
        for byte in digits {
            if byte.isASCIIBlank {
                isOver = true
                continue
            }
            guard !isOver, byte.isASCIIDigit else { throw notALength }
            guard let longer = number.appending(decimalDigit: byte) else {
                throw TransferError(.cannotParseResponse, "The Content-Length of the response is more than 2^63 - 1")
            }
            number = longer
            count += 1
        }
        guard count > 0 else { throw notALength }
        return number
    }

    private static let notALength = TransferError(
        .cannotParseResponse, "The Content-Length of the response is not a decimal number")
}
