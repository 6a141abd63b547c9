import CErrandOpenSSL
import ErrandText
import Glibc

extension Certificate {
    /// The most characters of a name that are shown.
    static let maxNameCharacters = 160

    /// The subject's name (RFC 4514) in ASCII, limited in length.
    var subject: String { Self.text(of: X509_get_subject_name(pointer)) }

    /// The issuer's name (RFC 4514) in ASCII, limited in length.
    var issuer: String { Self.text(of: X509_get_issuer_name(pointer)) }

    /// Returns at most `limit` of the DNS names and IP addresses that the certificate is for (RFC 5280 §4.2.1.6).
    ///
    /// They are in ASCII and limited in length. Names of other kinds, such as mail addresses, are omitted, because they
    /// identify no host.
    func hostNames(limit: Int) -> [String] {
        ErrorQueue.preserving {
            guard let extensionValue = X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return [] }
            let names = OpaquePointer(extensionValue)
            defer { GENERAL_NAMES_free(names) }
            var texts: [String] = []
            for index in 0..<copenssl_names_count(names) where texts.count < limit {
                var kind: Int32 = 0
                guard let name = copenssl_names_at(names, index), let value = GENERAL_NAME_get0_value(name, &kind)
                else { continue }
                switch kind {
                case GEN_DNS: texts.append(printable(Self.bytes(of: value)))
                case GEN_IPADD: if let text = addressText(Self.bytes(of: value)) { texts.append(text) }
                default: continue
                }
            }
            return texts
        }
    }

    /// Returns the bytes of an ASN.1 string.
    private static func bytes(of value: UnsafeMutableRawPointer) -> [UInt8] {
        let string = value.assumingMemoryBound(to: ASN1_STRING.self)
        let count = Int(ASN1_STRING_length(string))
        return [UInt8](UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: count))
    }

    private static func text(of name: OpaquePointer?) -> String {
        ErrorQueue.preserving {
            guard let name, let output = BIO_new(BIO_s_mem()) else { return "?" }
            defer { BIO_free(output) }
            var start: UnsafeMutablePointer<CChar>?
            guard copenssl_print_name(output, name) >= 0 else { return "?" }
            let count = copenssl_written(output, &start)
            guard let start, count > 0 else { return "(no name)" }
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            return printable(Array(bytes))
        }
    }
}

/// Returns text of a peer in printable ASCII, limited in length, with other bytes as `\XX` (RFC 4514 §2.4).
func printable(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for byte in bytes {
        guard text.count < Certificate.maxNameCharacters else {
            text += "...".utf8
            break
        }
        if (0x20...0x7E).contains(byte) {
            text.append(byte)
        } else {
            text += [
                UInt8(ascii: "\\"), Hexadecimal.uppercaseDigit(byte >> 4), Hexadecimal.uppercaseDigit(byte & 15),
            ]
        }
    }
    return String(decoding: text, as: UTF8.self)
}

/// Returns an IPv4 or IPv6 address as text; `nil` if the bytes are neither.
private func addressText(_ bytes: [UInt8]) -> String? {
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
        inet_ntop(family, bytes, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) }
    }
}
