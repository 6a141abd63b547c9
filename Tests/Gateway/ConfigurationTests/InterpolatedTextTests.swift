import ErrandSettings
import ErrandSupport
import Testing

@testable import ErrandConfiguration

/// A variable may hold a secret and stand in the wrong place: its text is in no message.
@Suite("Problems of interpolated text")
struct InterpolatedTextTests {
    /// Texts that look like the values of many settings, and are valid for few.
    static let texts = [
        "canary", "canary:pass@host", "https://canary:pass@host/?canary#canary", "-canary/1", "[canary",
    ]

    @Test("No problem of any setting repeats the text of a variable", arguments: texts)
    func settings(text: String) {
        let documents = Self.allDocuments
        #expect(documents.count > 250)
        let messages = documents.flatMap { Sample.problems($0, environment: ["CANARY": text]) }
        #expect(messages.count > documents.count / 2)
        #expect(messages.filter { $0.contains("canary") } == [])
    }

    @Test("A scheme is repeated if it is in the file itself")
    func scheme() {
        let expected = "config.yaml:1:26: sessions.a.base_url: expected an absolute http or https URL: "
        let yaml = "sessions: {a: {base_url: '${CANARY}'}}"
        #expect(
            Sample.problems(yaml, environment: ["CANARY": "alice:secret"])
                == ["\(expected)The scheme is neither http nor https"])
        #expect(
            Sample.problems("sessions: {a: {base_url: 'alice:secret'}}")
                == ["\(expected)The scheme is alice, not http or https"])
    }

    /// A text for each scalar setting.
    private static let allDocuments: [String] = documents(of: .group(GatewayConfiguration.settings.shape))

    /// Returns a text for each scalar setting of a shape, with a variable as its value and nothing else.
    private static func documents(of shape: SettingShape) -> [String] {
        switch shape {
        case .scalar: ["'${CANARY}'"]
        case .document: []
        case .nullable(let shape): documents(of: shape)
        case .list(let item, _): documents(of: item).map { "[\($0)]" }
        case .map(_, let item): documents(of: item).map { "{a: \($0)}" }
        case .group(let group), .oneOf(let group):
            group.settings.flatMap { setting in documents(of: setting.shape).map { "{\(setting.name): \($0)}" } }
        case .either(let first, let second): documents(of: first) + documents(of: second)
        }
    }
}
