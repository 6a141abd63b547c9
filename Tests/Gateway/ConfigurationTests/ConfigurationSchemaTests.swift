import ErrandSettings
import Foundation
import Testing

@testable import ErrandConfiguration

@Suite("The JSON Schema")
struct ConfigurationSchemaTests {
    private static func schema() throws -> [String: Any] {
        let schema = try JSONSerialization.jsonObject(with: Data(ConfigurationSchema.json()))
        return try #require(schema as? [String: Any])
    }

    /// Returns the schema of a setting at a path through groups.
    private static func setting(_ keys: String...) throws -> [String: Any] {
        try setting(keys)
    }

    private static func setting(_ keys: [String]) throws -> [String: Any] {
        var schema = try schema()
        for key in keys {
            let properties = try #require(schema["properties"] as? [String: Any])
            schema = try #require(properties[key] as? [String: Any])
        }
        return schema
    }

    @Test("The schema is JSON and names its dialect")
    func dialect() throws {
        #expect(try Self.schema()["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
    }

    @Test("Each group contains exactly its settings")
    func groups() throws {
        let server = try Self.setting("server")
        #expect(server["additionalProperties"] as? Bool == false)
        let properties = try #require(server["properties"] as? [String: Any])
        #expect(Set(properties.keys) == Set(GatewayServerConfiguration.settings.shape.settings.map(\.name)))
    }

    @Test("A setting has its description, default and constraints, and allows interpolation")
    func size() throws {
        let size = try Self.setting("server", "max_json")
        #expect(size["description"] as? String == "The size limit of a JSON body with one task.")
        #expect(size["default"] as? String == "1MiB")
        let forms = try #require(size["anyOf"] as? [[String: Any]])
        #expect(forms.compactMap { $0["type"] as? String } == ["string", "integer"])
        #expect(forms.last?["$ref"] as? String == "#/$defs/interpolated")
    }

    @Test(
        "Numbers and Booleans may be in quotes, as they may in the file",
        arguments: [
            (["server", "max_batch"], "integer", ["5", "007"], ["", "five", "5.0", "+5"]),
            (["dispatcher", "max_running"], "integer", ["7"], ["7 "]),
            (["server", "min_rate"], "integer", ["50000", "50KiB/s", "50/s"], ["50KiB", "s"]),
            (["auth", "allow_anonymous"], "boolean", ["true", "false"], ["yes", "True"]),
        ])
    func quoted(keys: [String], type: String, valid: [String], invalid: [String]) throws {
        let forms = try #require(try Self.setting(keys)["anyOf"] as? [[String: Any]])
        #expect(forms.contains { $0["type"] as? String == type })
        for text in valid { #expect(Self.accepts(text, forms), "\(text)") }
        for text in invalid { #expect(!Self.accepts(text, forms), "\(text)") }
    }

    @Test("A number with decimals may be in quotes")
    func quotedNumber() throws {
        let forms = try #require(try Self.sessionSetting("retry", "backoff", "multiplier")["anyOf"] as? [[String: Any]])
        #expect(forms.contains { $0["type"] as? String == "number" })
        for text in ["2", "1.5", "2.", ".5"] { #expect(Self.accepts(text, forms), "\(text)") }
        for text in ["", ".", "1e3", "-1", "1.5.0"] { #expect(!Self.accepts(text, forms), "\(text)") }
    }

    /// Returns true if one of the forms of a scalar takes a text.
    private static func accepts(_ text: String, _ forms: [[String: Any]]) -> Bool {
        forms.contains { form in
            if let words = form["enum"] as? [String] { return words.contains(text) }
            guard let pattern = form["pattern"] as? String else { return false }
            return text.range(of: pattern, options: .regularExpression) != nil
        }
    }

    @Test("Words that look like numbers may be written as numbers")
    func words() throws {
        let sessions = try Self.setting("sessions")
        let session = try #require(sessions["additionalProperties"] as? [String: Any])
        let connection = try #require((session["properties"] as? [String: [String: Any]])?["connection"])
        let version = try #require((connection["properties"] as? [String: [String: Any]])?["http"])
        let words = try #require((version["anyOf"] as? [[String: Any]])?.first?["enum"] as? [Any])
        #expect(words.compactMap { $0 as? String } == ["auto", "1.1", "2"])
        #expect(words.compactMap { ($0 as? NSNumber)?.doubleValue } == [1.1, 2])
    }

    /// Returns the schema of a session's setting.
    private static func sessionSetting(_ keys: String...) throws -> [String: Any] {
        var schema = try #require(try setting("sessions")["additionalProperties"] as? [String: Any])
        for key in keys {
            schema = try #require((schema["properties"] as? [String: [String: Any]])?[key])
        }
        return schema
    }

    @Test("Credentials are null or a mapping with exactly one member")
    func credentials() throws {
        let forms = try #require(try Self.sessionSetting("credentials")["anyOf"] as? [[String: Any]])
        #expect(forms.count == 2)
        let mapping = try #require(forms.first)
        #expect(mapping["type"] as? String == "object")
        #expect(mapping["additionalProperties"] as? Bool == false)
        #expect((mapping["minProperties"] as? Int, mapping["maxProperties"] as? Int) == (1, 1))
        let kinds = try #require(mapping["properties"] as? [String: [String: Any]])
        #expect(Set(kinds.keys) == ["basic", "digest", "bearer", "api_key", "oauth2", "aws_sigv4"])
        #expect(kinds["basic"]?["required"] as? [String] == ["username", "password"])
        #expect(forms.last?["type"] as? String == "null")
    }

    @Test("A throttle is a word or a mapping")
    func throttle() throws {
        let throttle = try Self.sessionSetting("request", "multipart_throttle")
        #expect(throttle["default"] as? String == "none")
        let forms = try #require(throttle["anyOf"] as? [[String: Any]])
        let words = try #require((forms.first?["anyOf"] as? [[String: Any]])?.first)
        #expect(words["enum"] as? [String] == ["none"])
        let properties = try #require(forms.last?["properties"] as? [String: Any])
        #expect(Set(properties.keys) == ["packet", "delay"])
    }

    @Test("The response serializer is a name or a list of names")
    func serializer() throws {
        let serializer = try Self.sessionSetting("response", "serializer")
        #expect(serializer["default"] as? String == "json")
        let forms = try #require(serializer["anyOf"] as? [[String: Any]])
        #expect(forms.last?["type"] as? String == "array")
    }

    @Test("Secrets have no default")
    func secrets() {
        #expect(!String(decoding: ConfigurationSchema.json(), as: UTF8.self).contains("redacted"))
        #expect(!ConfigurationReference.markdown().contains("redacted"))
    }
}
