import ErrandSupport
import Foundation
import HTTPSession
import Testing

@Suite("A response of httpbin", .timeLimit(.hang))
struct HTTPBinResponseTests {
    @Test("is a success with these statuses", arguments: [200, 201, 202, 203, 204, 206, 226])
    func success(status: Int) async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let response = try await api.data(for: TaskRequest(path: "status/\(status)"))
        #expect(response.head.status == status)
    }

    @Test(
        "is a failure with these statuses, but still a response",
        arguments: [300, 304, 400, 401, 403, 404, 405, 406, 409, 410, 418, 422, 429, 451, 500, 501, 502, 503, 504])
    func failure(status: Int) async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let outcome = try await api.outcome(of: TaskRequest(method: "PUT", path: "status/\(status)"))
        #expect(outcome.error?.code == .unacceptableStatus)
        #expect(outcome.error?.message.hasPrefix("The status is \(status)") == true)
        #expect(outcome.response?.head.status == status)
        #expect(outcome.response?.utf8Text.contains("teapot") == (status == 418))
    }

    @Test("is a success if the session accepts its status")
    func otherStatuses() async throws {
        let api = try await HTTPBin.session {
            $0.response.serializer = .raw
            $0.response.acceptableStatuses = StatusSet([304...304, 404...404])
        }
        let response = try await api.data(
            for: TaskRequest(path: "etag/abc", headers: [TaskHeader("If-None-Match", "\"abc\"")]))
        #expect(response.head.status == 304)
        #expect(response.body?.size == 0)
        let outcome = try await api.outcome(of: TaskRequest(path: "status/200"))
        #expect(outcome.error?.code == .unacceptableStatus)
    }

    @Test("has all its header fields, including repeated names")
    func headers() async throws {
        let api = try await HTTPBin.session()
        let response = try await api.data(
            for: TaskRequest(path: "response-headers?X-Single=one%20%3B%20two&X-Many=a&X-Many=b"))
        let single = try #require(HTTPField.Name("X-Single"))
        let many = try #require(HTTPField.Name("X-Many"))
        #expect(response.head.headers[single] == "one ; two")
        #expect(response.head.headers[values: many] == ["a", "b"])
        #expect(response.head.version == "1.1")
        #expect(response.head.headers[.contentLength] == "\(response.bytes.count)")
    }

    @Test("is a part of the content if a range is requested")
    func range() async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .raw }
        let response = try await api.data(
            for: TaskRequest(path: "range/100", headers: [TaskHeader("Range", "bytes=24-29")]))
        #expect(response.head.status == 206)
        #expect(response.head.headers[.contentRange] == "bytes 24-29/100")
        #expect(response.utf8Text == "yzabcd")
    }

    @Test("as JSON is passed on byte for byte")
    func json() async throws {
        struct Show: Decodable { var slideshow: Slides }
        struct Slides: Decodable { var title: String }
        let api = try await HTTPBin.session()
        let response = try await api.data(for: TaskRequest(path: "json"))
        #expect(response.serializer == .json)
        let passedOn = try #require(response.json)
        #expect(String(decoding: passedOn, as: UTF8.self) == response.utf8Text.trimmingCharacters(in: .newlines))
        #expect(try response.decoded(as: Show.self).slideshow.title == "Sample Slide Show")
    }

    @Test("as XML becomes a tree", arguments: [ResponseSerializerChoice.xml, .auto])
    func xml(serializer: ResponseSerializerChoice) async throws {
        let api = try await HTTPBin.session { $0.response.serializer = serializer }
        let response = try await api.data(for: TaskRequest(path: "xml"))
        #expect(response.serializer == .xml)
        let root = try response.decoded(as: XMLNode.self)
        #expect(root.name == "slideshow")
        #expect(
            root.attributes == [
                "title": "Sample Slide Show", "date": "Date of publication", "author": "Yours Truly",
            ])
        let slides = root.elements
        #expect(slides.map(\.name) == ["slide", "slide"])
        #expect(slides.first?.elements.first?.text == "Wake up to WonderWidgets!")
        #expect(slides.last?.elements.map(\.name) == ["title", "item", "item", "item"])
        #expect(slides.last?.elements.dropFirst().first?.text == "Why WonderWidgets are great")
    }

    @Test(
        "as an image gives its format and size",
        arguments: [("png", 100, 100), ("jpeg", 239, 178), ("webp", 274, 367)], [ResponseSerializerChoice.image, .auto])
    func image(expected: (format: String, width: Int, height: Int), serializer: ResponseSerializerChoice) async throws {
        struct Image: Decodable, Equatable {
            var format: String
            var width: Int
            var height: Int
        }
        let api = try await HTTPBin.session { $0.response.serializer = serializer }
        let response = try await api.data(for: TaskRequest(path: "image/\(expected.format)"))
        #expect(response.serializer == .image)
        #expect(
            try response.decoded(as: Image.self)
                == Image(format: expected.format, width: expected.width, height: expected.height))
        #expect(response.head.headers[.contentLength] == "\(response.bytes.count)")
    }

    @Test("is the image type that the request accepts")
    func negotiation() async throws {
        let api = try await HTTPBin.session { $0.response.serializer = .image }
        let response = try await api.data(
            for: TaskRequest(path: "image", headers: [TaskHeader("Accept", "image/webp")]))
        #expect(response.head.headers[.contentType] == "image/webp")
        let refused = try await api.outcome(of: TaskRequest(path: "image", headers: [TaskHeader("Accept", "text/x")]))
        #expect(refused.error?.code == .unacceptableStatus)
        #expect(refused.response?.head.status == 406)
    }

    @Test("as text becomes a string", arguments: [ResponseSerializerChoice.text, .auto])
    func text(serializer: ResponseSerializerChoice) async throws {
        let api = try await HTTPBin.session { $0.response.serializer = serializer }
        let response = try await api.data(for: TaskRequest(path: "encoding/utf8"))
        #expect(response.serializer == .text)
        let text = try response.decoded(as: String.self)
        #expect(text.contains("∮ E⋅da = Q,  n → ∞, ∑ f(i) = ∏ g(i)"))
        #expect(text.contains("ሰማይ አይታረስ ንጉሥ አይከሰስ።"))
    }

    @Test("of an unknown type stays unchanged", arguments: [ResponseSerializerChoice.raw, .auto])
    func raw(serializer: ResponseSerializerChoice) async throws {
        let api = try await HTTPBin.session { $0.response.serializer = serializer }
        let response = try await api.data(for: TaskRequest(path: "bytes/4321"))
        #expect(response.object == .none)
        #expect(response.bytes.count == 4321)
    }

    @Test("of an unacceptable type is an error, with the content")
    func unacceptableType() async throws {
        let api = try await HTTPBin.session()
        let outcome = try await api.outcome(of: TaskRequest(path: "html"))
        #expect(outcome.error?.code == .unacceptableContentType)
        #expect(outcome.response?.utf8Text.contains("Herman Melville") == true)
    }

    @Test("with malformed content of an acceptable type is an error that names the place")
    func unparsable() async throws {
        let api = try await HTTPBin.session()
        let outcome = try await api.outcome(of: TaskRequest(path: "stream/2"))
        #expect(outcome.error?.code == .unparsableBody)
        #expect(outcome.error?.message.contains("line 2") == true)
    }

    @Test("of any of several acceptable types is read by the matching serializer")
    func compound() async throws {
        let choice = try #require(ResponseSerializerChoice([.json, .image, .xml]))
        let api = try await HTTPBin.session { $0.response.serializer = choice }
        let kinds = [("json", ResponseSerializerKind.json), ("image/png", .image), ("xml", .xml)]
        for (path, kind) in kinds {
            #expect(try await api.data(for: TaskRequest(path: path)).serializer == kind)
        }
        #expect(try await api.outcome(of: TaskRequest(path: "html")).error?.code == .unacceptableContentType)
    }
}

/// An element or a text in the tree of an XML document.
private struct XMLNode: Decodable {
    var name = ""
    var attributes: [String: String] = [:]
    var children: [XMLNode] = []
    /// The text; for an element, that of its children.
    var text = ""

    var elements: [XMLNode] { children.filter { !$0.name.isEmpty } }

    private enum Key: CodingKey { case name, attributes, children }

    init(from decoder: any Decoder) throws {
        do {
            text = try decoder.singleValueContainer().decode(String.self)
        } catch DecodingError.typeMismatch {
            let element = try decoder.container(keyedBy: Key.self)
            name = try element.decode(String.self, forKey: .name)
            attributes = try element.decode([String: String].self, forKey: .attributes)
            children = try element.decode([XMLNode].self, forKey: .children)
            text = children.map(\.text).joined()
        }
    }
}
