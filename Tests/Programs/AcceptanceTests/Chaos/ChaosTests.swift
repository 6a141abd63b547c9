import ErrandSupport
import Foundation
import Testing

extension Acceptance {
    @Suite("Faults under load")
    struct ChaosTests {
        /// The minimum time of the test.
        ///
        /// Each kind of fault occurs at least once; `make soak` takes an hour.
        private static let duration: Duration = Soak.isWanted ? .seconds(3600) : .zero
        /// The maximum time after the end of a fault until a gateway is as fast as before.
        ///
        /// Only `make soak` has the machine for itself. In a test run the gateway must serve again: one that does not
        /// lets the test hang.
        private static let recoveryLimit = Duration.seconds(10)
        /// The free space before each fault, in MiB: a store that fills the disk by itself stops the gateway for good.
        ///
        /// In the long form the clients that leave take more than a minute, in which the others create 100,000 tasks.
        private static let freeMebibytes = Soak.isWanted ? 1500 : 400

        @Test(
            "After each fault the gateway is soon as fast as before; no acknowledged task is lost or duplicated",
            .enabled(if: !Errand.isSanitized))
        func faults() async throws {
            let clock = ContinuousClock()
            let start = clock.now
            var random = SplitMix64(seed: 7)
            repeat {
                try await faults(rounds: Soak.isWanted ? 5 : 1, &random)
                print("after \(clock.now - start)")
            } while clock.now - start < Self.duration
        }

        /// Causes all faults a number of times, and then checks everything that a gateway has acknowledged.
        ///
        /// Each call has a store of its own: the tasks of an hour would fill the memory of the test and of its disk.
        private func faults(rounds: Int, _ random: inout SplitMix64) async throws {
            let upstream = try CrashUpstream()
            defer { upstream.stop() }
            var settings = CrashLoad.settings(upstream.origin)
            settings.logLevel = "info"
            let gateway = try await ChaosGateway(settings, diskMebibytes: 512)
            try await gateway.start()
            let load = CrashLoad(seed: random.next())
            for _ in 0..<rounds { try await strike(ChaosFault.allCases.shuffled(using: &random), gateway, load) }
            let client = try await gateway.client()
            try await LeavingClient.cancelTasks(client)
            try await load.expectKept(by: client, upstream)
            let memory = try await gateway.process.process.residentMemoryBytes() >> 20
            #expect(try await gateway.process.stop() == .status(0))
            print(
                "\(load.acknowledgements.count) responses, \(load.promises.count) tasks,",
                "\(upstream.messages.count) messages, \(load.failures.count) failed calls; \(memory) MiB")
        }

        /// Causes faults in turn while clients make requests, and measures the recovery time of the gateway after each.
        private func strike(_ faults: [ChaosFault], _ gateway: ChaosGateway, _ load: CrashLoad) async throws {
            let end = Signal<Void>()
            async let clients: Void = load.run(until: end) { try await gateway.client() }
            do {
                let pace = Pace(load.acknowledgements, of: gateway)
                for fault in faults { try await strike(fault, gateway, load, pace) }
            } catch {
                end.send()
                try await gateway.process.process.kill(SIGKILL)
                throw error
            }
            end.send()
            await clients
        }

        private func strike(_ fault: ChaosFault, _ gateway: ChaosGateway, _ load: CrashLoad, _ pace: Pace) async throws
        {
            if fault == .fullDisk, gateway.disk == nil {
                print("\(fault): this system allows no mount namespace")
                return
            }
            try await gateway.disk?.grow(toFree: Self.freeMebibytes)
            // Directly before the fault: the load that other programs put on the machine changes.
            try await pace.learn()
            print("\(fault): begins, with \(Pace.windowCount) responses in \(pace.window)")
            try await fault.strike(gateway, load) {
                if fault.letsAnswer { try await expectHealthy(gateway, "during \(fault)") }
            }
            let time = try await pace.timeToRecover()
            print("\(fault): as fast as before after \(time)")
            Soak.expect(time, within: Self.recoveryLimit, "\(fault)")
            try await expectHealthy(gateway, "after \(fault)")
        }

        private func expectHealthy(_ gateway: ChaosGateway, _ moment: Comment) async throws {
            let status = try await gateway.client().get("/healthz").status
            #expect(status == 200, moment)
        }
    }
}
