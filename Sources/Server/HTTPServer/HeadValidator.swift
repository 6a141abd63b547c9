import ErrandHTTPGrammar
import ErrandText
package import HTTPTypes

/// A validator that accepts only request heads with a single interpretation.
///
/// If two servers on the path of a request disagree about where it ends, an attacker can hide a second request in the
/// first (request smuggling). Therefore a head that is ambiguous about the end of the content is rejected before the
/// content is read, and the connection is closed, because the start of the next request is unknown.
package struct HeadValidator {
    /// The valid header fields so far.
    package private(set) var fields = HTTPFields()
    private var problem: ProblemDetails?
    private var hosts = 0
    private var contentLength: UInt64?
    private var isChunked = false
    private var expectsContinue = false

    /// The result of validating a head.
    package struct Verdict: Sendable {
        /// The framing of the content.
        package var framing: RequestFraming
        /// True if the client waits for `100 Continue` before it sends the content.
        package var expectsContinue: Bool
    }

    package init() {
        // Most heads have fewer fields; without it the list would grow several times.
        fields.reserveCapacity(8)
    }

    /// Adds the next field, as received.
    package mutating func add(name: String, value: String) {
        // `Content-Length : 3` is rejected here: the space belongs to the name, and a parser that ignores it misreads
        // the length.
        guard let token = HTTPField.Name(name) else {
            fail(RequestFault.nameIsNoToken)
            return
        }
        // libmicrohttpd compares the whole value of this field, whitespace included; so does this code.
        let value = token == .transferEncoding ? value : Self.trimmed(value)
        // Swift's HTTP types repair illegal values; a value that would need repair is rejected.
        guard HTTPField.isValidValue(value) else {
            fail("the value of header field \(token.rawName) contains a control character")
            return
        }
        switch token {
        case .contentLength: addContentLength(value)
        case .transferEncoding: addTransferEncoding(value)
        case .expect: addExpectation(value)
        // HTTPTypes has no name for Host, because a client gives it as the authority of the request.
        default: if token.canonicalName == "host" { addHost(value) }
        }
        fields.append(HTTPField(name: token, value: value))
    }

    /// Validates the head as a whole.
    ///
    /// - Parameter isHTTP10: True for HTTP/1.0, in which `Host` is not required and chunks do not exist.
    package func verdict(isHTTP10: Bool) throws(ProblemDetails) -> Verdict {
        if let problem { throw problem }
        if hosts == 0, !isHTTP10 {
            throw ProblemDetails(.malformedRequest, detail: "the header field Host is missing")
        }
        if isChunked {
            guard contentLength == nil else {
                throw ProblemDetails(.malformedRequest, detail: RequestFault.twoFramings)
            }
            guard !isHTTP10 else {
                throw ProblemDetails(.malformedRequest, detail: "HTTP/1.0 has no Transfer-Encoding")
            }
            return Verdict(framing: .chunked, expectsContinue: expectsContinue)
        }
        guard let contentLength, contentLength > 0 else {
            return Verdict(framing: .none, expectsContinue: false)
        }
        // An expectation in HTTP/1.0 is to be ignored (RFC 9110 §10.1.1).
        return Verdict(framing: .length(contentLength), expectsContinue: expectsContinue && !isHTTP10)
    }

    /// Removes surrounding whitespace; most values have none and are not copied.
    private static func trimmed(_ value: String) -> String {
        guard let first = value.utf8.first, let last = value.utf8.last, first <= 0x20 || last <= 0x20 else {
            return value
        }
        return String(value[...].trimmingOptionalWhitespace())
    }

    private mutating func fail(_ detail: String) {
        problem = problem ?? ProblemDetails(.malformedRequest, detail: detail)
    }

    private mutating func addHost(_ value: String) {
        hosts += 1
        guard hosts == 1 else { return fail("the header field Host occurs more than once") }
        guard Self.isSaneHost(value) else { return fail("the header field Host is not a host with an optional port") }
    }

    private mutating func addContentLength(_ value: String) {
        guard contentLength == nil else { return fail(RequestFault.repeatedLength) }
        guard let length = UInt64(decimalDigits: value), length < UInt64(Int64.max) else {
            return fail(RequestFault.malformedLength)
        }
        contentLength = length
    }

    private mutating func addTransferEncoding(_ value: String) {
        guard !isChunked, value.lowercased() == "chunked" else {
            return fail(RequestFault.otherCoding)
        }
        isChunked = true
    }

    private mutating func addExpectation(_ value: String) {
        guard value.lowercased() == "100-continue" else {
            problem = problem ?? ProblemDetails(.expectationFailed, detail: "the only expectation is 100-continue")
            return
        }
        expectsContinue = true
    }

    /// Returns true if a value is a host with an optional port.
    ///
    /// Allowed are letters, digits, `-._~`, sub-delimiters, percent escapes, or an IP literal in brackets (RFC 3986
    /// §3.2.2). An empty value is legal too (RFC 9110 §7.2).
    static func isSaneHost(_ value: String) -> Bool {
        var rest = value.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let bracket = rest.firstIndex(of: UInt8(ascii: "]")),
                rest[..<bracket].dropFirst().allSatisfy({ isAddressCharacter($0) })
            else { return false }
            rest = rest[rest.index(after: bracket)...]
        } else {
            let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            guard rest[..<end].allSatisfy({ isHostCharacter($0) }) else { return false }
            rest = rest[end...]
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(\.isASCIIDigit)
    }

    private static func isAddressCharacter(_ byte: UInt8) -> Bool {
        Hexadecimal.value(of: byte) != nil || ":.%".utf8.contains(byte)
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-._~!$&'()*+,;=%".utf8.contains(byte)
    }
}

/// The framing of the content of a request (RFC 9112 §6.3).
package enum RequestFraming: Sendable, Hashable {
    /// There is no content.
    case none
    /// `Content-Length`, in bytes, above zero.
    case length(UInt64)
    /// `Transfer-Encoding: chunked`.
    case chunked
}
