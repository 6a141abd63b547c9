import COpenSSL
import Glibc

extension Certificate {
    /// The most characters of a name that are told.
    static let maxNameCharacters = 160

    /// The subject's name (RFC 4514), bounded and in ASCII.
    var subject: String { Self.text(of: X509_get_subject_name(pointer)) }

    /// The issuer's name (RFC 4514), bounded and in ASCII.
    var issuer: String { Self.text(of: X509_get_issuer_name(pointer)) }

    /// The names and addresses that it is for (RFC 5280 §4.2.1.6), bounded and in ASCII, at most `limit` of them.
    ///
    /// Those of other kinds, such as mail addresses, are left out: no host has one.
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

    /// The bytes of an ASN.1 string.
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

/// A peer's text in printable ASCII, everything else as `\XX` like in RFC 4514 §2.4, bounded.
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
            text += [UInt8(ascii: "\\"), hexadecimalDigits[Int(byte >> 4)], hexadecimalDigits[Int(byte & 15)]]
        }
    }
    return String(decoding: text, as: UTF8.self)
}

private let hexadecimalDigits = Array("0123456789ABCDEF".utf8)

/// An IPv4 or IPv6 address as text; `nil` for bytes that are neither.
private func addressText(_ bytes: [UInt8]) -> String? {
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
        inet_ntop(family, bytes, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) }
    }
}
