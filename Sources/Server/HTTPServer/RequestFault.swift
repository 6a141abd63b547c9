/// The sentences about faults that more than one check of a request finds.
///
/// ``RequestStreamValidator`` finds most of them in the bytes of a connection, before another parser reads them, and
/// ``HeadValidator`` in the fields that the other parser has read.
package enum RequestFault {
    /// The method has an illegal character.
    package static let methodIsNoToken = "the method is not a token"
    /// The name of a field has an illegal character.
    static let nameIsNoToken = "a header field name is not a token"
    /// There are two lengths.
    static let repeatedLength = "the header field Content-Length occurs more than once"
    /// The length is no number.
    static let malformedLength = "the header field Content-Length is not a number of bytes"
    /// The content has another coding than chunks.
    static let otherCoding = "the only Transfer-Encoding of a request is a single chunked"
    /// The content has a length and is chunked.
    static let twoFramings = "a request has either Content-Length or Transfer-Encoding, not both"
    /// A line does not end as it must.
    static let loneCarriageReturn = "a carriage return is not followed by a line feed"

    /// Returns the fault of a target above its limit.
    package static func targetTooLong(limitBytes: Int) -> String {
        "the request target is longer than \(limitBytes) bytes"
    }
}
