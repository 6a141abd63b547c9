import Foundation
import Glibc
import Support
import Transfer

/// Certificates with their keys, and stapled answers about them, made once for all tests by `openssl`.
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
    /// Why there are none.
    struct Failure: Error {
        var reason: String
    }

    /// All of them.
    static var shared: TestCertificates {
        get async throws { try await making.value }
    }

    private static let making = Task { try await make() }
    /// Where they are, until the process ends.
    private let folder: ScratchFolder

    /// The file of a certificate.
    func file(_ name: String) -> String { folder.file("\(name).pem") }

    /// The file of its key.
    func key(_ name: String) -> String { folder.file("\(name).key") }

    /// The file with an OCSP response about `good` or `revoked`.
    func staple(_ name: String) -> String { folder.file("\(name).ocsp") }

    /// A certificate in DER.
    func certificate(_ name: String) throws -> [UInt8] { try Self.decoded(file(name)) }

    /// The SHA-256 of a certificate's key.
    func keyHash(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("\(name).pin"))))
    }

    /// A certificate with its key, to be shown to peers.
    func client(_ name: String, for origins: Set<HTTPURL.Origin> = []) throws -> ClientCertificate {
        ClientCertificate(chain: [try certificate(name)], privateKey: try Self.decoded(key(name)), origins: origins)
    }

    /// A pin of a certificate's key, with the certificate's name as its label.
    func pin(_ name: String) throws -> CertificatePin {
        CertificatePin(label: name, .publicKey(sha256: try keyHash(name)))
    }

    /// A policy that trusts `authority`, and asks for the keys of the certificates `pins`.
    func policy(pins: [String] = [], revocation: TrustPolicy.RevocationCheck = .off) throws -> TrustPolicy {
        TrustPolicy(
            pinning: pins.isEmpty ? .none : .publicKey, pins: try pins.map(pin),
            anchors: .certificates([try certificate("authority")]), revocation: revocation)
    }

    /// The default options, but for the anchor: `authority`.
    func tls() throws -> TLSOptions { TLSOptions(trust: try policy()) }

    /// What stands between the lines of a PEM file that has one block.
    private static func decoded(_ file: String) throws -> [UInt8] {
        let text = try String(contentsOfFile: file, encoding: .ascii)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        guard let bytes = Data(base64Encoded: lines.joined()) else { throw Failure(reason: "\(file) is no PEM") }
        return Array(bytes)
    }

    private static func make() async throws -> TestCertificates {
        let folder = try ScratchFolder()
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
