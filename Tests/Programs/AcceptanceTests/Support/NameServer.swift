import ErrandFiles
import ErrandSupport
import Glibc

/// A scripted name server, and a way to make a process use it.
///
/// It needs root: the port is 53, and the process gets its own `/etc/resolv.conf` in a mount namespace. The address is
/// an otherwise unused one of 127.0.0.0/8. The test must call ``stop()``.
final class NameServer: Sendable {
    /// Returns the IPv4 addresses of a name, in lower case; `nil` for no response.
    ///
    /// `number` counts the questions for that name from 0; a repeated one has its former number.
    typealias Script = @Sendable (_ name: String, _ number: Int) -> [String]?

    /// Resolves names to addresses: `a-10-0-0-1.example` to 10.0.0.1, others to this machine.
    @Sendable static func resolve(_ name: String, _ number: Int) -> [String]? {
        guard name.hasPrefix("a-") else { return ["127.0.0.1"] }
        let label = name.dropFirst(2).prefix { $0 != "." }
        return [label.split(separator: "-").joined(separator: ".")]
    }

    /// The requested names, in order, each question once.
    let questions = EventLog<String>()
    /// The requested names of all messages: a resolver repeats a question that is not answered soon.
    let messages = EventLog<String>()

    private let socket: Int32
    private let address: String

    /// True if this system supports it.
    static let isPossible = geteuid() == 0 && access("/usr/bin/unshare", X_OK) == 0

    /// Starts a server for IPv4 addresses; other record types are empty.
    init(_ script: @escaping Script) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw SystemFailure("socket") }
        self.socket = socket
        let numbers = (0..<10).map { _ in UInt32.random(in: 0x7F40_0000...0x7F4F_FFFF) }
        guard let number = numbers.first(where: { Self.bind(socket, $0) }) else {
            let failure = SystemFailure("bind to port 53")
            close(socket)
            throw failure
        }
        address = [24, 16, 8, 0].map { "\(number >> $0 & 0xFF)" }.joined(separator: ".")
        let (questions, messages) = (questions, messages)
        BlockingThread.run { Self.serve(socket, script, questions, messages) }
    }

    /// Stops the server.
    func stop() {
        // The serving thread wakes up, and closes the socket.
        shutdown(socket, Int32(SHUT_RDWR))
    }

    private static func bind(_ socket: Int32, _ number: UInt32) -> Bool {
        withSocketAddress(number, port: 53) { Glibc.bind(socket, $0, $1) == 0 }
    }

    private static func withSocketAddress<Value>(
        _ number: UInt32, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = number.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func serve(
        _ socket: Int32, _ script: Script, _ questions: EventLog<String>, _ messages: EventLog<String>
    ) {
        defer { close(socket) }
        var counts: [String: Int] = [:]
        var numbers: [String: Int] = [:]
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            var peer = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = withUnsafeMutablePointer(to: &peer) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(socket, &buffer, buffer.count, 0, $0, &size)
                }
            }
            // A socket that was shut down returns no data from now on.
            guard count > 0 else { return }
            guard let question = NameQuestion(buffer.prefix(count)) else { continue }
            var answers: [String]? = []
            if question.isForIPv4 {
                messages.append(question.name)
                let key = "\(question.name) \(Array(question.identifier))"
                let number = numbers[key] ?? counts[question.name, default: 0]
                if numbers.updateValue(number, forKey: key) == nil {
                    counts[question.name, default: 0] += 1
                    questions.append(question.name)
                }
                answers = script(question.name, number)
            }
            guard let answers else { continue }
            let message = question.answer(answers)
            withUnsafePointer(to: &peer) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = sendto(socket, message, message.count, 0, $0, size)
                }
            }
        }
    }

    /// Waits until the server is asked for a name.
    func isAsked(for name: String) async {
        var count = 1
        while await questions.first(count).last != name { count += 1 }
    }

    /// The number of times that a resolver sends a question without an answer, half a minute apart.
    static let attempts = 5

    /// The `resolv.conf` that names the server.
    var configuration: String {
        "nameserver \(address)\noptions timeout:30 attempts:\(Self.attempts)\n"
    }

    /// Returns the launcher of a command with this `resolv.conf`.
    static func launcher(resolvConf file: String) -> [String] {
        [
            "/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c",
            #"mount --bind "$0" /etc/resolv.conf && exec "$@""#, file,
        ]
    }
}

/// Runs a name server during `body`, which gets the launcher of commands that use it.
func withNameServer<Value>(
    in folder: TemporaryFolder, _ script: @escaping NameServer.Script,
    _ body: (_ server: NameServer, _ launcher: [String]) async throws -> Value
) async throws -> Value {
    let server = try NameServer(script)
    defer { server.stop() }
    let file = try folder.write(server.configuration, to: "resolv.conf")
    return try await body(server, NameServer.launcher(resolvConf: file))
}
