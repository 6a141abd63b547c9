import Foundation

/// A certificate authority for tests: keys, certificates with any dates and extensions, and OCSP responses, created by
/// `openssl`.
///
/// All files are in the factory's own folder, which is removed with the factory. Keys are P-256 unless specified
/// otherwise.
package final class CertificateFactory: Sendable {
    /// A certificate with its key.
    package struct Identity: Sendable {
        /// The certificate in DER.
        package var der: [UInt8]
        /// The file of the certificate, PEM.
        package var certificateFile: String
        /// The file of its key, PEM.
        package var keyFile: String
    }

    /// A failure of `openssl`.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// The extensions of a certificate authority.
    package static let authority = """
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign, cRLSign
        subjectKeyIdentifier = hash

        """

    private static let program = "/usr/bin/openssl"

    /// True if `openssl` is installed.
    package static let isInstalled = access(program, X_OK) == 0

    private let folder: TemporaryFolder

    /// Creates a factory with an empty folder.
    package init() throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "index.txt")
        try folder.write("unique_subject = no\n", to: "index.txt.attr")
        try folder.write(
            """
            [ca]
            default_ca = tests
            [tests]
            database = \(path("index.txt"))
            new_certs_dir = \(folder.path)
            default_md = sha256
            rand_serial = yes
            policy = any
            email_in_dn = no
            [any]
            commonName = optional
            organizationName = optional
            [req]
            distinguished_name = name
            [name]

            """, to: "openssl.cnf")
    }

    /// Returns the path of a file in the folder.
    package func path(_ name: String) -> String { folder[name] }

    /// Returns the extensions of a server with these names, such as `DNS:a.test, IP:127.0.0.1`.
    package static func server(_ names: String) -> String {
        """
        basicConstraints = critical, CA:FALSE
        keyUsage = critical, digitalSignature
        extendedKeyUsage = serverAuth
        subjectAltName = \(names)

        """
    }

    /// Creates a key.
    ///
    /// - Parameter algorithm: Arguments of `openssl genpkey`. Default: P-256.
    /// - Returns: The path of the key's file, PEM.
    package func key(
        _ name: String, algorithm: [String] = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    ) async throws -> String {
        let file = path("\(name).key")
        try await run(["genpkey"] + algorithm + ["-out", file])
        return file
    }

    /// Issues a certificate.
    ///
    /// - Parameters:
    ///   - name: The name of its files.
    ///   - subject: The common name of its subject. Default: `name`.
    ///   - issuer: The identity that signs; `nil` for a self-signed certificate.
    ///   - key: The file of its key; a new one by default.
    ///   - extensions: Lines of OpenSSL's configuration (`x509v3_config(5)`); without any, the certificate has version
    ///     1.
    ///   - notBefore: `YYYYMMDDHHMMSSZ`. Default: 2020.
    ///   - notAfter: `YYYYMMDDHHMMSSZ`. Default: 2049.
    ///   - arguments: Further arguments of `openssl ca`.
    package func issue(
        _ name: String, subject: String? = nil, by issuer: Identity? = nil, key: String? = nil, extensions: String,
        notBefore: String = "20200101000000Z", notAfter: String = "20490101000000Z", arguments: [String] = []
    ) async throws -> Identity {
        let keyFile = key ?? path("\(name).key")
        // One run for a new key and the request.
        let keyArguments =
            if let key {
                ["-key", key]
            } else {
                ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", keyFile]
            }
        let (request, file) = (path("\(name).csr"), path("\(name).pem"))
        try folder.write("[extensions]\n\(extensions)", to: "\(name).cnf")
        try await run(
            ["req", "-new", "-config", path("openssl.cnf"), "-subj", "/CN=\(subject ?? name)", "-out", request]
                + keyArguments)
        let signer =
            if let issuer {
                ["-cert", issuer.certificateFile, "-keyfile", issuer.keyFile]
            } else {
                ["-selfsign", "-keyfile", keyFile]
            }
        let added = extensions.isEmpty ? [] : ["-extfile", path("\(name).cnf"), "-extensions", "extensions"]
        try await run(
            [
                "ca", "-batch", "-notext", "-config", path("openssl.cnf"), "-rand_serial", "-in", request, "-out", file,
                "-startdate", notBefore, "-enddate", notAfter,
            ] + signer + added + arguments)
        return Identity(der: try Self.der(of: file), certificateFile: file, keyFile: keyFile)
    }

    /// Revokes a certificate for OCSP responses that are created afterwards.
    package func revoke(_ identity: Identity, by issuer: Identity) async throws {
        try await run([
            "ca", "-config", path("openssl.cnf"), "-keyfile", issuer.keyFile, "-cert", issuer.certificateFile,
            "-revoke", identity.certificateFile,
        ])
    }

    /// Returns the OCSP response (RFC 6960) for a certificate, in DER.
    ///
    /// - Parameters:
    ///   - signer: The identity that signs it; the issuer by default.
    ///   - isKnown: True if the issuer knows the certificate.
    ///   - arguments: Further arguments of `openssl ocsp`, such as `-nmin` for its expiry.
    package func ocspResponse(
        about identity: Identity, issuer: Identity, signer: Identity? = nil, isKnown: Bool = true,
        arguments: [String] = ["-nmin", "60"]
    ) async throws -> [UInt8] {
        let file = path("\(UUID().uuidString).ocsp")
        if !isKnown { try folder.write("", to: "unknown.txt") }
        let signer = signer ?? issuer
        try await run(
            [
                "ocsp", "-index", path(isKnown ? "index.txt" : "unknown.txt"), "-CA", issuer.certificateFile, "-issuer",
                issuer.certificateFile, "-rsigner", signer.certificateFile, "-rkey", signer.keyFile, "-noverify",
                "-no_nonce", "-respout", file,
            ] + arguments + ["-cert", identity.certificateFile])
        return try bytes(of: file)
    }

    /// Runs `openssl` in the folder.
    package func run(_ arguments: [String]) async throws {
        let process = try ChildProcess(Self.program, arguments, directory: folder.path)
        let result = await process.result()
        guard result.exit == .status(0) else {
            throw Failure(description: "openssl \(arguments.joined(separator: " ")): \(result.exit)\n\(result.errors)")
        }
    }

    /// Copies a file of the folder, replacing the destination with a new file.
    package func copy(_ file: String, to name: String) throws {
        try Data(contentsOf: URL(fileURLWithPath: file)).write(
            to: URL(fileURLWithPath: path(name)), options: .atomic)
    }

    /// Returns the bytes of a file.
    package func bytes(of file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    }

    /// Returns the content of a file's only PEM block.
    package static func der(of file: String) throws -> [UInt8] {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        guard let data = Data(base64Encoded: lines.filter { !$0.hasPrefix("-----") }.joined()) else {
            throw Failure(description: "\(file) is no PEM")
        }
        return [UInt8](data)
    }
}
