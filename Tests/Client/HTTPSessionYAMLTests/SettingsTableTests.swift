import ErrandSessionCore
import ErrandSessionSettings
import ErrandSettings
import ErrandSupport
import Foundation
import Testing

@testable import HTTPSessionYAML

@Suite("The table of settings in the documentation")
struct SettingsTableTests {
    /// The names in the first column of the page, above and below the heading of those that are refused.
    private static func documented() throws -> (accepted: [String], refused: [String]) {
        let page = "Sources/Client/HTTPSessionYAML/HTTPSessionYAML.docc/SettingNames.md"
        let text = try String(contentsOf: ProjectFolder.root.appending(path: page), encoding: .utf8)
        let parts = text.components(separatedBy: "### Settings of the gateway")
        #expect(parts.count == 2)
        let names = parts.map { part in part.matches(of: /\n\| `([a-z0-9_.]+)` \|/).map { String($0.1) } }
        return (names[0], names.last ?? [])
    }

    /// Returns the paths of all settings below a group, without the groups themselves.
    private static func paths(in group: SettingGroupShape, below path: String) -> [String] {
        group.settings.flatMap { paths(of: $0.shape, at: path + $0.name) }
    }

    private static func paths(of shape: SettingShape, at path: String) -> [String] {
        switch shape {
        case .group(let group), .oneOf(let group): paths(in: group, below: path + ".")
        case .nullable(let shape): paths(of: shape, at: path)
        case .either(let first, let second): paths(of: first, at: path) + paths(of: second, at: path)
        case .scalar, .list, .map, .document: [path]
        }
    }

    @Test("has each setting of a session exactly once")
    func complete() throws {
        let refused = GatewayOnlySettings.remedies.keys
        let declared = Self.paths(in: SessionConfiguration.settings.shape, below: "").filter { path in
            !refused.contains { path == $0 || path.hasPrefix("\($0).") }
        }
        let documented = try Self.documented().accepted
        #expect(Set(documented).symmetricDifference(declared).sorted() == [])
        #expect(Set(documented).count == documented.count)
    }

    @Test("has each setting of the gateway that is refused")
    func refused() throws {
        #expect(try Self.documented().refused.sorted() == GatewayOnlySettings.remedies.keys.sorted())
    }
}
