import ErrandSupport
import Testing

@testable import ErrandConfiguration

@Suite("Listening addresses")
struct SocketAddressTests {
    @Test("Addresses and Unix sockets can be combined, and are printed as they are read")
    func list() throws {
        let yaml = """
            server: {listen: ["127.0.0.1:1", {unix: /run/e.sock}, {unix: e.sock, mode: 0600}, {unix: x, mode: "777"}]}
            """
        let configuration = try Sample.read(yaml)
        #expect(
            configuration.server.listen == [
                .tcp(try #require(TCPAddress("127.0.0.1:1"))),
                .unix(UnixSocketAddress(path: "/run/e.sock", mode: 0o660)),
                .unix(UnixSocketAddress(path: "e.sock", mode: 0o600)), .unix(UnixSocketAddress(path: "x", mode: 0o777)),
            ])
        let printed = ConfigurationPrinter.yaml(configuration)
        #expect(printed.contains("mode: \"0660\""))
        #expect(try Sample.read(printed).server == configuration.server)
    }

    @Test("A single Unix socket needs no brackets")
    func single() throws {
        let listen = try Sample.read("server: {listen: {unix: /run/e.sock, mode: '0600'}}").server.listen
        #expect(listen == [.unix(UnixSocketAddress(path: "/run/e.sock", mode: 0o600))])
    }

    @Test("A Unix socket is local, and has no host")
    func local() throws {
        let socket = SocketAddress.unix(UnixSocketAddress(path: "/run/e.sock"))
        #expect(socket.isLocal)
        #expect(socket.urlHost == nil)
        #expect(socket.description == "unix:/run/e.sock")
        #expect(SocketAddress("[::1]:80")?.urlHost == "[::1]")
        #expect(SocketAddress("0.0.0.0:80")?.isLocal == false)
    }

    private static let longest = "/" + String(repeating: "a", count: 106)

    static let wrong: [ProblemRow] = [
        ProblemRow("server: {listen: {unix: \(longest)}}"),
        ProblemRow(
            "server: {listen: {unix: \(longest)a}}", "1:25: server.listen.unix: expected a path of at most 107 bytes"),
        ProblemRow(
            "server: {listen: {unix: /run/}}",
            "1:25: server.listen.unix: expected the path of a socket, found a directory"),
        ProblemRow("server: {listen: {mode: '0660'}}", "1:18: server.listen: unix is required"),
        ProblemRow(
            "server: {listen: [{unix: a, mode: rw, port: 1}]}",
            "1:35: server.listen[0].mode: expected permissions in octal such as \"0660\", found \"rw\"",
            "1:39: server.listen[0].port: unknown setting"),
    ]

    @Test("Each problem is reported with its location and setting", arguments: wrong)
    func problems(row: ProblemRow) {
        row.check()
    }

    @Test(
        "Permissions are three octal digits, with or without a leading zero",
        arguments: ["8", "66", "0888", "1777", "07777", "-660", "+660", "0o660", "rw-rw----"])
    func badMode(text: String) {
        #expect(Sample.problems("server: {listen: {unix: a, mode: '\(text)'}}").count == 1)
    }
}
