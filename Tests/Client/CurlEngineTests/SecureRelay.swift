import ErrandSupport
import Glibc

/// A TLS server on a port of 127.0.0.1 that forwards bytes to and from another server there.
///
/// It asks for a client certificate, and closes connections on which one is presented.
struct SecureRelay {
    private static let program = "/usr/bin/python3"

    /// A Boolean value that indicates whether the programs are installed.
    static let isInstalled = access(program, X_OK) == 0 && OpenSSLServer.isInstalled

    let port: UInt16
    private let process: ChildProcess

    /// Starts a relay.
    ///
    /// - Parameters:
    ///   - port: The port of the other server.
    ///   - certificate: The name of the relay's certificate.
    ///   - protocols: The protocols that it selects by ALPN; without any, it does not reply to the extension.
    static func start(
        to port: UInt16, certificate: String, protocols: [String] = []
    ) async throws -> SecureRelay {
        let certificates = try await TestCertificates.shared
        let process = try ChildProcess(
            program,
            [
                "-uc", script, certificates.file(certificate), certificates.key(certificate),
                certificates.file("authority"), "\(port)",
            ] + protocols)
        let line = try await process.output.line(containing: "port ")
        guard let own = UInt16(line.dropFirst(5)) else { throw OpenSSLServer.Failure(reason: "no port in: \(line)") }
        return SecureRelay(port: own, process: process)
    }

    func stop() {
        process.kill(SIGKILL)
    }

    private static let script = """
        import select, socket, ssl, sys, threading

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        context.load_verify_locations(sys.argv[3])
        context.verify_mode = ssl.CERT_OPTIONAL
        if sys.argv[5:]:
            context.set_alpn_protocols(sys.argv[5:])

        def relay(plain):
            try:
                with context.wrap_socket(plain, server_side=True) as outer:
                    if outer.getpeercert():
                        return
                    with socket.create_connection(("127.0.0.1", int(sys.argv[4]))) as inner:
                        forward(outer, inner)
                        # Closing with unread bytes would be a reset, which overtakes what the client has yet to read.
                        outer.shutdown(socket.SHUT_WR)
                        while outer.recv(1 << 20):
                            pass
            except OSError:
                pass

        def forward(outer, inner):
            while True:
                ready = [outer] if outer.pending() else select.select([outer, inner], [], [])[0]
                for end in ready:
                    data = end.recv(1 << 20)
                    if not data:
                        return
                    (inner if end is outer else outer).sendall(data)

        listener = socket.create_server(("127.0.0.1", 0))
        print("port", listener.getsockname()[1])
        while True:
            threading.Thread(target=relay, args=(listener.accept()[0],), daemon=True).start()
        """
}
