import ErrandResponseSerialization
import ErrandSessionCore
import ErrandSupport
import ErrandTransfer
import Foundation
import HTTPTypes
import Testing

/// The objects that the serializers make of content.
///
/// The binary property list is from Python's `plistlib`.
@Suite("Rules of response objects", .timeLimit(.hang))
struct ResponseObjectSemanticsTests {
    private func outcome(
        _ choice: ResponseSerializerChoice, _ type: String?, _ content: [UInt8],
        _ options: ResponseSerializationOptions = ResponseSerializationOptions()
    ) async throws -> SessionOutcome {
        let example = try Example { configuration in
            configuration.response.serializer = choice
            configuration.response.options = options
        }
        var fields = HTTPFields()
        fields[.contentType] = type
        return try await example.outcome([.head(200, fields), .bytes(content)])
    }

    @Test(
        "JSON is passed on unchanged, whereas AFNetworking rewrites numbers and keys",
        arguments: [
            ("numbers", #"{"a":1.0,"b":12345678901234567890,"c":1e400}"#), ("keys twice", #"{"a":1,"a":2}"#),
            ("escapes and white space", #"{ "\u00e9" : "\/" }"#), ("an array", "[1, 2]"),
        ])
    func exactJSON(rule: String, content: String) async throws {
        #expect(try await outcome(.json, "application/json", Array(content.utf8)).object == content, "\(rule)")
    }

    @Test(
        "AFNetworking: null removal is recursive, and leaves empty containers",
        arguments: [
            (#"{"a":null,"b":1}"#, #"{"b":1}"#), ("[1,null,2]", "[1,2]"), (#"{"a":{"b":null}}"#, #"{"a":{}}"#),
            (#"{"a":[null]}"#, #"{"a":[]}"#), (#"[{"a":null},null,[null,3]]"#, "[{},[3]]"), ("{}", "{}"),
        ])
    func nulls(content: String, expected: String) async throws {
        let removing = ResponseSerializationOptions(removesNulls: true)
        #expect(try await outcome(.json, "application/json", Array(content.utf8), removing).object == expected)
        #expect(try await outcome(.json, "application/json", Array(content.utf8)).object == content)
    }

    @Test(
        "AFNetworking: the reading options of JSON",
        arguments: [
            ("fragments are rejected", JSONReadingOptions(), "1", nil),
            ("fragments by option", .init(allowsFragments: true), "1", "1"),
            ("null by option", .init(allowsFragments: true), "null", "null"),
            ("as deep as allowed", .init(maxDepth: 2), "[[1]]", "[[1]]"),
            ("deeper than allowed", .init(maxDepth: 2), "[[[1]]]", nil),
        ] as [(String, JSONReadingOptions, String, String?)])
    func reading(rule: String, options: JSONReadingOptions, content: String, expected: String?) async throws {
        let options = ResponseSerializationOptions(json: options)
        let outcome = try await outcome(.json, "application/json", Array(content.utf8), options)
        #expect(outcome.object == expected, "\(rule)")
        #expect(outcome.numbers == (expected == nil ? [3840] : []), "\(rule)")
    }

    @Test(
        "XML becomes a tree, whereas AFNetworking returns a parser or a document",
        arguments: [
            ("<a/>", #"{"name":"a","attributes":{},"children":[]}"#),
            ("<a b='1' c='2'>x</a>", #"{"name":"a","attributes":{"b":"1","c":"2"},"children":["x"]}"#),
            (
                "<a>1<b/>2</a>",
                #"{"name":"a","attributes":{},"children":["1",{"name":"b","attributes":{},"children":[]},"2"]}"#
            ),
            (
                "<n:a xmlns:n='urn:n' n:b='1'/>",
                #"{"name":"a","namespace":"urn:n","attributes":{"{urn:n}b":"1"},"children":[]}"#
            ),
            ("<a>&lt;&#233;<![CDATA[<b>]]></a>", #"{"name":"a","attributes":{},"children":["<é<b>"]}"#),
            ("<a>", nil), ("<a></b>", nil), ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", nil),
        ] as [(String, String?)])
    func xml(content: String, expected: String?) async throws {
        let outcome = try await outcome(.xml, "application/xml", Array(content.utf8))
        #expect(outcome.object == expected)
        #expect(outcome.numbers == (expected == nil ? [3840] : []))
    }

    @Test("AFNetworking: a property list can be XML or binary")
    func propertyLists() async throws {
        let expected = #"{"a":[1,"é",true],"d":"AP8=","t":"2026-01-02T03:04:05Z"}"#
        let binary = try #require(
            Data(
                base64Encoded:
                    "YnBsaXN0MDDTAQIDBAgJUWFRZFF0owUGBxABYQDpCUIA/zNBx4O2koAAAAgPERMVGRseHyIAAAAAAAABAQAAAAAA"
                    + "AAAKAAAAAAAAAAAAAAAAAAAAKw=="))
        #expect(try await outcome(.plist, "application/x-plist", Array(binary)).object == expected)
        let xml = """
            <plist version="1.0"><dict><key>a</key><array><integer>1</integer><string>é</string><true/></array>\
            <key>d</key><data>AP8=</data><key>t</key><date>2026-01-02T03:04:05Z</date></dict></plist>
            """
        #expect(try await outcome(.plist, "application/x-plist", Array(xml.utf8)).object == expected)
        #expect(try await outcome(.plist, "application/x-plist", [0x3F]).numbers == [3840])
    }

    @Test(
        "Alamofire: text has the charset of its type; without one it is UTF-8, else windows-1252",
        arguments: [
            ("the type's", "text/plain; charset=ISO-8859-1", [0x63, 0xE9], "cé"),
            ("the type's, whatever the bytes look like", "text/plain; charset=koi8-r", [0xD0, 0xD2], "пр"),
            ("UTF-8", "text/plain", [0x63, 0xC3, 0xA9], "cé"), ("no UTF-8", "text/plain", [0x63, 0xE9], "cé"),
            ("an unknown one is ignored", "text/plain; charset=none", [0xC3, 0xA9], "é"),
            ("a byte order mark is first", "text/plain; charset=utf-8", [0xFF, 0xFE, 0xE9, 0x00], "é"),
            ("malformed", "text/plain; charset=utf-8", [0x61, 0xFF], "a\u{FFFD}"),
        ] as [(String, String, [UInt8], String)])
    func text(rule: String, type: String, content: [UInt8], expected: String) async throws {
        #expect(try await outcome(.text, type, content).object == "\"\(expected)\"", "\(rule)")
    }

    @Test(
        "AFNetworking: an image becomes its format and size",
        arguments: [
            (
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
                    + [0, 0, 1, 0x2C, 0, 0, 0, 7, 1, 0, 0, 0, 0, 0x9A, 0x1A, 0x4D, 0x99],
                #"{"format":"png","width":300,"height":7}"#
            ),
            (Array("GIF89a".utf8) + [0x04, 0x01, 0x03, 0x00, 0x80, 0, 0], #"{"format":"gif","width":260,"height":3}"#),
        ] as [([UInt8], String)])
    func image(content: [UInt8], expected: String) async throws {
        #expect(try await outcome(.image, "image/png", content).object == expected)
    }

    @Test("AFNetworking: a task may select another serializer than its session, bound when the task is created")
    func perTask() async throws {
        let steps: [ScriptedTransport.Step] = [.head(200, [.contentType: "text/plain"]), .text("x")]
        let session = try Example().session(over: ScriptedTransport(steps))
        let task = try session.task(TaskRequest(responseSerializer: .text))
        #expect(task.request.responseSerializer == .text)
        task.resume()
        let outcome = await task.outcome
        #expect(outcome.object == "\"x\"" && outcome.response?.serializer == .text)
    }

    @Test(
        "AFNetworking: of several serializers the first object wins; without any there is no object and no error",
        arguments: [
            ("the first", [.json, .text], "application/json", "{}", "{}", .json),
            ("the first that accepts the type", [.json, .text], "text/plain", "{}", #""{}""#, .text),
            ("the next when one cannot read it", [.json, .text], "text/json", "?", #""?""#, .text),
            ("none", [.json, .xml], "application/json", "?", nil, .raw),
        ] as [(String, [ResponseSerializerKind], String, String, String?, ResponseSerializerKind)])
    func compound(
        rule: String, kinds: [ResponseSerializerKind], type: String, content: String, object: String?,
        reader: ResponseSerializerKind
    ) async throws {
        let choice = try #require(ResponseSerializerChoice(kinds))
        let outcome = try await outcome(choice, type, Array(content.utf8))
        #expect(outcome.object == object && outcome.error == nil, "\(rule)")
        #expect(outcome.response?.serializer == reader, "\(rule)")
    }

    @Test(
        "the content type selects the serializer if the session does not",
        arguments: [
            ("application/problem+json", "{}", "{}", .json),
            ("application/atom+xml", "<a/>", #"{"name":"a","attributes":{},"children":[]}"#, .xml),
            ("text/csv", "a", #""a""#, .text), ("application/octet-stream", "a", nil, .raw), (nil, "a", nil, .raw),
        ] as [(String?, String, String?, ResponseSerializerKind)])
    func automatic(type: String?, content: String, object: String?, reader: ResponseSerializerKind) async throws {
        let outcome = try await outcome(.auto, type, Array(content.utf8))
        #expect(outcome.object == object && outcome.error == nil)
        if object != nil { #expect(outcome.response?.serializer == reader) }
    }
}
