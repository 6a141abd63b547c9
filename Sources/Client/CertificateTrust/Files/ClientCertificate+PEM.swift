import ErrandText
package import ErrandTransfer

extension ClientCertificate {
    /// The chain in PEM (RFC 7468), the certificate itself first.
    package var chainPEM: [UInt8] { chain.flatMap { Self.pem("CERTIFICATE", $0) } }

    /// The unencrypted private key in PEM of PKCS #8 (RFC 7468 §10): a secret.
    package var privateKeyPEM: [UInt8] { Self.pem("PRIVATE KEY", privateKey) }

    /// Returns one PEM block with lines of 64 characters.
    private static func pem(_ label: String, _ bytes: [UInt8]) -> [UInt8] {
        let text = Array(Base64.encode(bytes).utf8)
        var block = Array("-----BEGIN \(label)-----\n".utf8)
        for start in stride(from: 0, to: text.count, by: 64) {
            block += text[start..<min(start + 64, text.count)]
            block.append(UInt8(ascii: "\n"))
        }
        return block + "-----END \(label)-----\n".utf8
    }
}
