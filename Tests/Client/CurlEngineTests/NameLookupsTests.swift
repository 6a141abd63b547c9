import CErrandCurl
import ErrandEventLoop
import ErrandSupport
import ErrandTransfer
import Glibc
import Testing

@testable import ErrandCurlEngine

@Suite("Name lookups", .timeLimit(.hang))
struct NameLookupsTests {
    /// A client that makes the callbacks of libcurl for some lookups, then handles what is ready as the engine does.
    ///
    /// `@unchecked Sendable`: only the loop's thread uses the state and the transfer, from the first turn on.
    private final class Client: EventLoopClient, @unchecked Sendable {
        /// Which of two sessions, of which the first has the lookups, may begin another one.
        let seen = EventLog<[Bool]>()
        /// The number of lookups that are waited for, each time that something was ready.
        let left = EventLog<Int>()
        /// The transfer, a probe, to whose session the lookups belong.
        let transfer: CurlTransfer
        private let loop: EventLoop
        private let limits: AbandonedLookups.Limits
        private let script: @Sendable (Client, LoopState) -> Void
        private var state: LoopState?

        init(
            _ loop: EventLoop, limits: AbandonedLookups.Limits, script: @escaping @Sendable (Client, LoopState) -> Void
        ) throws {
            self.loop = loop
            self.limits = limits
            self.script = script
            transfer = CurlTransfer(
                pool: PoolID(session: 0), request: TransferRequest(url: try HTTPURL("http://nowhere.test/")),
                receiver: nil, commands: Mailbox(loop: loop))
        }

        func turn(ready: borrowing [ReadyDescriptor]) -> Int32 {
            let ready = copy ready
            guard let state else {
                begin()
                return -1
            }
            for descriptor in ready { handle(descriptor.descriptor, in: state) }
            left.append(state.lookups.numbers.count)
            note(state)
            return -1
        }

        func loopWillEnd() {
            state = nil
        }

        private func begin() {
            let state = LoopState(
                loop: loop, watch: FloodWatch(), maxIdleTime: .seconds(600),
                lookups: AbandonedLookups(limits: limits))
            self.state = state
            script(self, state)
        }

        /// Handles the readiness of a descriptor as the engine does.
        func handle(_ descriptor: Int32, in state: LoopState) {
            guard state.sockets.owner(of: descriptor) == nil else { return }
            state.lookups.descriptorIsReady(descriptor)
        }

        /// Makes the callbacks of a lookup that libcurl waits for, and then no longer.
        ///
        /// - Parameter thread: Called in between with the socket of the lookup's thread.
        /// - Returns: That socket.
        func leaveLookup(in state: LoopState, thread: (Int32) -> Void = { _ in }) -> Int32 {
            let events = MultiEvents(pool: transfer.pool, state: state, counters: SessionCounters())
            var pair: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair)
            events.socketChanged(pair[0], wanted: ccurl_POLL_IN, transfer: transfer)
            thread(pair[1])
            events.socketChanged(pair[0], wanted: ccurl_POLL_REMOVE, transfer: transfer)
            close(pair[0])
            return pair[1]
        }

        /// Ends the transfer, which may have lookups again afterwards.
        func endTransfer(in state: LoopState) {
            transfer.leaveLookups(to: state.lookups, at: state.now)
        }

        /// Notes which sessions may begin a lookup now.
        func note(_ state: LoopState) {
            let pools = [transfer.pool, PoolID(session: 1)]
            seen.append(pools.map { state.lookups.refusal(for: $0, at: state.now) == nil })
        }
    }

    /// Runs a script on the thread of an event loop, then `body`.
    private func withClient(
        limits: AbandonedLookups.Limits = AbandonedLookups.Limits(ofPool: 1, ofAll: 2),
        script: @escaping @Sendable (Client, LoopState) -> Void, _ body: (Client) async -> Void
    ) async throws {
        let loop = try EventLoop(name: "test")
        let client = try Client(loop, limits: limits, script: script)
        try loop.start(client)
        await body(client)
        await loop.shutdown()
    }

    @Test("that go on count from the end of their transfers to that of their threads")
    func abandoned() async throws {
        try await withClient { client, state in
            // The thread of the first lookup has written that it has a result, that of the second is gone.
            close(client.leaveLookup(in: state) { write($0, "x", 1) })
            client.endTransfer(in: state)
            _ = client.leaveLookup(in: state) { close($0) }
            client.endTransfer(in: state)
            let thread = client.leaveLookup(in: state)
            client.note(state)
            client.endTransfer(in: state)
            client.note(state)
            close(thread)
        } _: { client in
            let seen = await client.seen.first(3)
            #expect(seen == [[true, true], [false, true], [true, true]])
            #expect(client.left.events == [0])
        }
    }

    @Test("that have ended do not count, although their ends were not handled yet")
    func endedBefore() async throws {
        try await withClient { client, state in
            let thread = client.leaveLookup(in: state)
            client.endTransfer(in: state)
            client.note(state)
            close(thread)
            client.note(state)
        } _: { client in
            let seen = await client.seen.first(2)
            #expect(seen == [[false, true], [true, true]])
        }
    }

    @Test("go on when a socket was ready that had the number of their end before")
    func formerSocket() async throws {
        try await withClient { client, state in
            let thread = client.leaveLookup(in: state)
            client.endTransfer(in: state)
            for descriptor in Array(state.lookups.numbers.keys) { client.handle(descriptor, in: state) }
            client.note(state)
            close(thread)
        } _: { client in
            // The end is watched again.
            let left = await client.left.first(1)
            #expect(left == [0])
            #expect(client.seen.events.first == [false, true])
        }
    }

    @Test("count one by one if a transfer has several")
    func several() async throws {
        try await withClient(limits: AbandonedLookups.Limits(ofPool: 2, ofAll: 9)) { client, state in
            let threads = (0..<2).map { _ in client.leaveLookup(in: state) }
            client.endTransfer(in: state)
            client.note(state)
            for thread in threads { close(thread) }
        } _: { client in
            let seen = await client.seen.first(1)
            #expect(seen == [[false, true]])
        }
    }

    @Test("behind a proxy count if the transfer ends before libcurl has the address, a connection or a result")
    func behindProxy() async throws {
        try await withClient(limits: AbandonedLookups.Limits(ofPool: 1, ofAll: 1)) { client, state in
            let events: [(CurlTransfer) -> Void] = [
                { $0.didHear(.hostWasFound) },
                { _ = $0.willSend() },
                { $0.didGet(CURLE_PROXY) },
                // The lookup may be the reason.
                { $0.didGet(CURLE_OPERATION_TIMEDOUT) },
            ]
            for event in events {
                client.transfer.attempt.hasUnseenLookup = true
                event(client.transfer)
                client.endTransfer(in: state)
                client.note(state)
            }
        } _: { client in
            let seen = await client.seen.first(4)
            #expect(seen == [[true, true], [true, true], [true, true], [false, true]])
        }
    }

    // MARK: With libcurl

    /// A SOCKS 5 proxy (RFC 1928) that accepts its clients, and waits until they close.
    private static let socks: ScriptedServer.Script = { connection in
        _ = try connection.read(Int(try connection.read(2)[1]))
        connection.record("accepted")
        try connection.send([5, 0])
        connection.waitForClose()
    }

    /// Runs `body` with an engine that permits a session so many abandoned lookups.
    private func withEngine(limit: Int, _ body: (CurlEngine) async throws -> Void) async throws {
        let lookups = AbandonedLookups(limits: AbandonedLookups.Limits(ofPool: limit))
        let engine = try CurlEngine(maxIdleTime: .seconds(600), lookups: lookups)
        do {
            try await body(engine)
        } catch {
            await engine.shutdown()
            throw error
        }
        await engine.shutdown()
    }

    @Test("fail while too many are abandoned; what needs none goes on")
    func refused() async throws {
        let server = try ScriptedServer(greeting)
        defer { server.stop() }
        try await withEngine(limit: 0) { engine in
            let fixed = FixedAddress(host: "somewhere.test", port: server.port, addresses: ["127.0.0.1"])
            let session = engine.session(ConnectionOptions(fixedAddresses: [fixed]))
            for path in ["http://nowhere.test/", "https://nowhere.test/"] {
                let error = await session.perform(TransferRequest(url: try HTTPURL(path))).outcome.error
                #expect(error?.code == .cannotFindHost)
                #expect(error?.message.hasPrefix("The name nowhere.test was not looked up: 0 earlier lookups") == true)
                #expect(error?.isLocal == true)
            }
            // libcurl asks for the address of this machine too.
            let bound = engine.session(ConnectionOptions(fixedAddresses: [fixed], interface: "127.0.0.2"))
            for session in [session, bound] {
                for host in ["127.0.0.1", "somewhere.test"] {
                    let url = try HTTPURL("http://\(host):\(server.port)/")
                    #expect(await session.perform(TransferRequest(url: url)).text == "hello")
                }
            }
        }
    }

    @Test("of a proxy and of the host behind it are refused one by one")
    func refusedBehindProxy() async throws {
        let proxy = try ScriptedServer(Self.socks)
        defer { proxy.stop() }
        let request = TransferRequest(url: try HTTPURL("http://nowhere.test/"))
        try await withEngine(limit: 0) { engine in
            // The address of the proxy needs no lookup.
            let first = engine.session(ConnectionOptions(proxy: "socks5://127.0.0.1:\(proxy.port)"))
            let error = await first.perform(request).outcome.error
            #expect(error?.message.hasPrefix("The name nowhere.test was not looked up: ") == true)
            #expect(proxy.requests.events.map(\.head) == ["accepted"])
            let second = engine.session(ConnectionOptions(proxy: "socks5://proxy.test:\(proxy.port)"))
            let refusal = await second.perform(request).outcome.error
            #expect(refusal?.message.hasPrefix("The name of the proxy was not looked up: ") == true)
        }
    }

    @Test("that have failed behind a proxy do not count")
    func failedBehindProxy() async throws {
        let proxy = try ScriptedServer(Self.socks)
        defer { proxy.stop() }
        // No name server is asked for a label of more than 63 bytes (RFC 1035 §2.3.4).
        let url = try HTTPURL("http://\(String(repeating: "x", count: 64)).test/")
        try await withEngine(limit: 1) { engine in
            let session = engine.session(ConnectionOptions(proxy: "socks5://127.0.0.1:\(proxy.port)"))
            for _ in 0..<3 {
                let error = await session.perform(TransferRequest(url: url)).outcome.error
                #expect(error?.message == "The name of the host could not be resolved")
                let ofProbe = await session.connect(to: url, timeout: .seconds(600))
                #expect(ofProbe?.message == "The name of the host could not be resolved")
            }
        }
    }

    @Test("do not use the last descriptors")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            try #require(getrlimit(resource, &limit) == 0)
            let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
            close(next)
            let before = NameLookups.hasDescriptors
            var low = limit
            low.rlim_cur = rlim_t(next) + 8
            try #require(setrlimit(resource, &low) == 0)
            let after = NameLookups.hasDescriptors
            setrlimit(resource, &limit)
            #expect(before && !after)
        }
    }

    @Test("may use lower descriptors while all the highest are in use")
    func lowerDescriptors() async {
        await #expect(processExitsWith: .success) {
            endInTime()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            try #require(getrlimit(resource, &limit) == 0)
            limit.rlim_cur = 512
            try #require(setrlimit(resource, &limit) == 0)
            var last: Int32 = 0
            while last < 503 {
                last = fcntl(0, F_DUPFD_CLOEXEC, 0)
                try #require(last >= 0)
            }
            let isFull = !NameLookups.hasDescriptors
            for number in Int32(100)..<110 { close(number) }
            let hasLower = NameLookups.hasDescriptors
            for number in Int32(200)..<500 { close(number) }
            #expect(isFull && hasLower)
        }
    }
}
