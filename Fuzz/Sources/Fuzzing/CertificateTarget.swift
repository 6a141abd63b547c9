import ErrandCertificateTrust
import ErrandText
import ErrandTransfer

extension FuzzTarget {
    /// Fuzzes certificates and stapled responses from peers and files.
    ///
    /// Only the holder of the single key that the only root has certified is trusted.
    static let certificate = FuzzTarget("certificate") { input in
        let fromFile = try? CertificateFile.read(input)
        _ = try? CertificatePin.read(input, label: "pin")
        _ = try? CertificatePin.parse(InputText.text(input))
        if let client = try? ClientCertificateFile.read(certificate: input, password: "") {
            try expect(!client.chain.isEmpty && !client.privateKey.isEmpty, "a client has a certificate and its key")
        }
        if let summary = try? CertificateSummary(der: input) {
            try expect(summary.sha256.count == 32 && summary.publicKeySHA256.count == 32, "a fingerprint is a SHA-256")
        }
        let evaluator = try evaluator.get()
        for presented in [[input], fromFile ?? [], (fromFile ?? []) + [input]] {
            let verdict = evaluator.evaluate(presented: presented, host: "fuzz.example", at: now)
            guard verdict.isAccepted else { continue }
            try expect(verdict.certificates.first?.publicKeySHA256 == certifiedKey, "the peer has the certified key")
            _ = evaluator.evaluateStaple(input, path: verdict.path, at: now)
        }
    }

    /// 2027-01-01, within the validity of the seeds.
    private static let now: Int64 = 1_798_761_600

    private static let evaluator = Result {
        try TrustEvaluator(TrustPolicy(anchors: .certificates([Base64.decode(root) ?? []])))
    }

    /// The certificate of a root whose key was destroyed after it had signed the seeds.
    private static let root = """
        MIIBjTCCATOgAwIBAgIUBJ6mQdrP6FI1Vg8kw9YpfO0SrQUwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJRnV6eiBSb290MB4XDTI2\
        MTEyMTExNDMyN1oXDTM2MTExODExNDMyN1owFDESMBAGA1UEAwwJRnV6eiBSb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\
        L6B039Faf3SiIpiLzC3hTVTMnk8ilJ3InMfBAtaXUBLJyX7Lwsosj0jq4xE6cTs3fUrsYDz26kDSAFi9CUOnK6NjMGEwHQYDVR0O\
        BBYEFEk9N7VvbCuAjMHnRgeAzlgz1loHMB8GA1UdIwQYMBaAFEk9N7VvbCuAjMHnRgeAzlgz1loHMA8GA1UdEwEB/wQFMAMBAf8w\
        DgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMCA0gAMEUCIQDuIIzsfrSv99jDns/Vhr2gRXVikna3SfsQQvaZML6KIwIgNX3q1mje\
        lQtRnB+VqW0SjkzT6JnburLiTxFHiese110=
        """

    /// The SHA-256 of the key in the seeds that the root has certified.
    private static let certifiedKey: [UInt8] = [
        0x6A, 0xE4, 0x37, 0xFC, 0x2E, 0xFF, 0x97, 0xBC, 0xC6, 0xFE, 0xB5, 0x99, 0x2B, 0xEF, 0x1C, 0xE5,
        0x53, 0xD4, 0x4F, 0xC6, 0x64, 0x7A, 0x23, 0x22, 0x89, 0xFD, 0x59, 0xAA, 0x6F, 0xEF, 0xE4, 0x67,
    ]
}
