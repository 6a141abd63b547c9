import ErrandSupport
import Foundation
import Testing

@Suite("LeavingCall")
struct LeavingCallTests {
    @Test("Clients that leave make each kind of request of the API")
    func kinds() throws {
        let made = Set(LeavingCall.all.map { "\($0.method) \($0.pattern)" })
        let routes = try Self.routes()
        #expect(routes.count > 30)
        for route in routes {
            // The actions on many tasks are one route in the sources.
            let prefix = route.prefix { $0 != "\\" }
            #expect(made.contains { $0 == route || prefix != route && $0.hasPrefix(prefix) }, "\(route)")
        }
    }

    /// Returns the method and pattern of each route in the sources.
    private static func routes() throws -> [String] {
        let folder = ProjectFolder.root.appending(path: "Sources/Gateway/GatewayAPI")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.flatMap { file in
            try String(contentsOf: file, encoding: .utf8)
                .matches(of: /APIRoute\(\s*\.(?<method>\w+), "(?<pattern>[^"]+)"/)
                .map { "\($0.method.uppercased()) \($0.pattern)" }
        }
    }
}
