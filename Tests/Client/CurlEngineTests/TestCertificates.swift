import ErrandSupport
import ErrandTransfer
import Foundation
import Glibc

/// Certificates with their keys and stapled OCSP responses, created once for all tests by `openssl`.
///
/// | name | for | issued by |
/// | --- | --- | --- |
/// | `good` | 127.0.0.1, ::1, localhost, one.test, two.test | `authority` |
/// | `revoked`, `expired`, `early` | the same | `authority` |
/// | `elsewhere` | elsewhere.test | `authority` |
/// | `foreigner` | as `good` | `foreign` |
/// | `client` | a client | `authority` |
/// | `stranger` | a client | `foreign` |
struct TestCertificates: Sendable {
    /// The error of a failed creation.
    struct Failure: Error {
        var reason: String
    }

    /// The certificates that all tests share.
    static var shared: TestCertificates {
        get async throws { try await making.value }
    }

    private static let making = Task { try await make() }
    /// The folder of the files, which exists until the process ends.
    private let folder: TemporaryFolder

    /// Returns the path of a certificate.
    func file(_ name: String) -> String { folder["\(name).pem"] }

    /// Returns the path of the certificate's key.
    func key(_ name: String) -> String { folder["\(name).key"] }

    /// Returns the path of an OCSP response about `good` or `revoked`.
    func staple(_ name: String) -> String { folder["\(name).ocsp"] }

    /// Returns a certificate in DER.
    func certificate(_ name: String) throws -> [UInt8] { try CertificateFactory.der(of: file(name)) }

    /// Returns the SHA-256 of a certificate's key.
    func keyHash(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: folder["\(name).pin"])))
    }

    /// Returns a client certificate with its key.
    func client(_ name: String, for origins: Set<HTTPURL.Origin> = []) throws -> ClientCertificate {
        ClientCertificate(
            chain: [try certificate(name)], privateKey: try CertificateFactory.der(of: key(name)), origins: origins)
    }

    /// Returns a pin of a certificate's key, labelled with the certificate's name.
    func pin(_ name: String) throws -> CertificatePin {
        CertificatePin(label: name, .publicKey(sha256: try keyHash(name)))
    }

    /// Returns a policy that trusts `authority` and pins the keys of the certificates `pins`.
    func policy(pins: [String] = [], revocation: TrustPolicy.RevocationCheck = .off) throws -> TrustPolicy {
        TrustPolicy(
            pinning: pins.isEmpty ? .none : .publicKey, pins: try pins.map(pin),
            anchors: .certificates([try certificate("authority")]), revocation: revocation)
    }

    /// Returns the default options with `authority` as the anchor.
    func tls() throws -> TLSOptions { TLSOptions(trust: try policy()) }

    private static func make() async throws -> TestCertificates {
        let folder = try TemporaryFolder()
        folder.removeAtExit()
        let process = try ChildProcess("/bin/sh", ["-ec", script], directory: folder.path)
        let result = await process.result()
        guard result.exit == .status(0) else { throw Failure(reason: result.errors) }
        return TestCertificates(folder: folder)
    }

    private static let script = """
        authority() {
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" \\
                -days 2 -subj "/CN=test $1" -addext basicConstraints=critical,CA:TRUE \\
                -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature
            : > "$1.index"
            echo 1000 > "$1.serial"
            printf '[ca]\\ndefault_ca=x\\n[x]\\ndatabase=%s.index\\nserial=%s.serial\\ndefault_md=sha256\\n' "$1" "$1" \\
                > "$1.cnf"
            printf 'unique_subject=no\\npolicy=p\\nnew_certs_dir=.\\n[p]\\ncommonName=supplied\\n' >> "$1.cnf"
        }
        issue() {
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$2.key" -out "$2.csr" \\
                -subj "/CN=test $2"
            printf 'subjectAltName=%s\\nextendedKeyUsage=serverAuth,clientAuth\\n' "$3" > "$2.ext"
            openssl ca -config "$1.cnf" -batch -notext -in "$2.csr" -cert "$1.pem" -keyfile "$1.key" \\
                -extfile "$2.ext" -out "$2.pem" -startdate "${4:-20200101000000Z}" -enddate "${5:-20491231000000Z}"
            openssl x509 -in "$2.pem" -pubkey -noout | openssl pkey -pubin -outform DER |
                openssl dgst -sha256 -binary > "$2.pin"
        }
        staple() {
            openssl ocsp -index authority.index -CA authority.pem -rsigner authority.pem -rkey authority.key \\
                -issuer authority.pem -cert "$1.pem" -ndays 1 -respout "$1.ocsp"
        }
        here=IP:127.0.0.1,IP:::1,DNS:localhost,DNS:one.test,DNS:two.test
        authority authority
        authority foreign
        issue authority good $here
        issue authority revoked $here
        issue authority elsewhere DNS:elsewhere.test
        issue authority expired $here 20200101000000Z 20200102000000Z
        issue authority early $here 20480101000000Z 20491231000000Z
        issue foreign foreigner $here
        issue authority client DNS:client.test
        issue foreign stranger DNS:stranger.test
        openssl ca -config authority.cnf -cert authority.pem -keyfile authority.key -revoke revoked.pem
        staple good
        staple revoked
        """
}
