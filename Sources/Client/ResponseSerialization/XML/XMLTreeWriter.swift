import ErrandJSON
import ErrandXML

/// Writes XML documents as JSON: a tree with everything in the document, in its order.
///
/// ```xml
/// <list xmlns="urn:l" id="7" xml:lang="en">two <b>words</b></list>
/// ```
/// becomes
/// ```json
/// {"name": "list", "namespace": "urn:l",
///  "attributes": {"id": "7", "{http://www.w3.org/XML/1998/namespace}lang": "en"},
///  "children": ["two ", {"name": "b", "namespace": "urn:l", "attributes": {}, "children": ["words"]}]}
/// ```
/// An element has the members `name` (without prefix), `namespace` (only if it has one), `attributes` and `children`,
/// always in this order. An attribute in a namespace has the name `{namespace}name`; XML names contain no braces, so
/// these names are unique. Children are strings and elements; white space between elements is a string too. Values are
/// always strings, never numbers.
enum XMLTreeWriter {
    /// Returns the JSON text of a document, compact and in UTF-8.
    ///
    /// It does not use recursion, so deep documents need no stack.
    static func write(
        _ document: XMLDocument, within limit: ConversionLimit
    ) throws(ResponseSerializationError) -> [UInt8] {
        var writer = JSONWriter()
        try write(document, to: &writer, within: limit)
        return writer.bytes
    }

    /// Writes a document, but no string with which the writer would have more bytes than the limit.
    static func write(
        _ document: XMLDocument, to writer: inout JSONWriter, within limit: ConversionLimit
    ) throws(ResponseSerializationError) {
        // The remaining children of each element being written, outermost first.
        var open = [try begin(document.root, &writer, within: limit)]
        while var rest = open.popLast() {
            guard let child = rest.popFirst() else {
                writer.endArray()
                writer.endObject()
                continue
            }
            open.append(rest)
            switch child {
            case .text(let text):
                try limit.check(writer.bytes.count, adding: text)
                writer.string(text)
            case .element(let element): open.append(try begin(element, &writer, within: limit))
            }
            try limit.check(writer.bytes.count)
        }
    }

    /// Writes the beginning of an element and returns its children.
    private static func begin(
        _ element: XMLElement, _ writer: inout JSONWriter, within limit: ConversionLimit
    ) throws(ResponseSerializationError) -> ArraySlice<XMLNode> {
        writer.beginObject()
        try limit.check(writer.bytes.count, adding: element.name)
        writer.member("name", element.name)
        if let namespace = element.namespace {
            try limit.check(writer.bytes.count, adding: namespace)
            writer.member("namespace", namespace)
        }
        writer.member("attributes")
        writer.beginObject()
        for attribute in element.attributes {
            let name = attribute.namespace.map { "{\($0)}\(attribute.name)" } ?? attribute.name
            try limit.check(writer.bytes.count, adding: name)
            writer.member(name)
            try limit.check(writer.bytes.count, adding: attribute.value)
            writer.string(attribute.value)
            try limit.check(writer.bytes.count)
        }
        writer.endObject()
        writer.member("children")
        writer.beginArray()
        return element.children[...]
    }
}
