import ErrandHTTPGrammar
import ErrandSessionCore
import FoundationEssentials
import HTTPTypes

/// The field `Content-Digest` (RFC 9530 §2): digests of a content by algorithm.
enum ContentDigest {
    /// Returns the SHA-256 of a request's content as its client has announced it; `nil` for none.
    ///
    /// Digests of other algorithms are ignored beside it, which the RFC permits; alone they are refused, because they
    /// are not verified.
    ///
    /// - Throws: An error if the field has no `sha-256`, or one whose value is not 32 bytes between colons.
    static func sha256(of headers: HTTPFields) throws(RequestRefusal) -> [UInt8]? {
        let values = headers[values: .contentDigest]
        // A value with a string that does not end has no members.
        for member in values.flatMap({ FieldParts.split($0[...], at: UInt8(ascii: ",")) ?? [] }) {
            guard member.hasPrefix("sha-256=") else { continue }
            let value = member.dropFirst("sha-256=".count).prefix(while: { $0 != ";" && $0 != " " && $0 != "\t" })
            guard value.count > 2, value.first == ":", value.last == ":",
                let digest = Data(base64Encoded: String(value.dropFirst().dropLast())), digest.count == 32
            else {
                throw .field(
                    .contentDigest,
                    "expected sha-256=:BASE64: with the 32 bytes of the digest, found \"\(member.prefix(80))\"")
            }
            return Array(digest)
        }
        guard let value = values.first else { return nil }
        throw .field(
            .contentDigest,
            "expected sha-256=:BASE64:, the only digest that is verified, found \"\(value.prefix(80))\"")
    }
}
