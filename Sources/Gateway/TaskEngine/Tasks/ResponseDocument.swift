import ErrandJSON
import ErrandResponseSerialization
import ErrandSessionCore
import ErrandTransfer
import HTTPTypes

/// The members of a task's `response` except `object` and `body`, separated by commas, without the braces.
enum ResponseDocument {
    static func members(of response: SessionResponse) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("status")
        writer.int(response.head.status)
        writer.member("reason")
        writer.string(response.head.reason)
        writer.member("http_version")
        writer.string(response.head.version)
        writer.member("headers")
        HeaderDocument.write(response.shownHeaders, to: &writer)
        writer.member("url")
        writer.string(response.shownURL)
        writer.member("redirects")
        writer.int(response.redirects)
        writer.member("serializer")
        writer.string(response.serializer.rawValue)
        writer.endObject()
        return Array(writer.bytes.dropFirst().dropLast())
    }
}

/// Header fields as a JSON object in their order; a name with several values has an array.
enum HeaderDocument {
    static func write(_ fields: HTTPFields, to writer: inout JSONWriter) {
        writer.beginObject()
        // Fields are few: comparing their names costs less than a table of them.
        for (index, field) in fields.enumerated()
        where !fields.prefix(index).contains(where: { $0.name == field.name }) {
            writer.member(field.name.rawName)
            guard fields.dropFirst(index + 1).contains(where: { $0.name == field.name }) else {
                writer.string(field.value)
                continue
            }
            writer.beginArray()
            for other in fields.dropFirst(index) where other.name == field.name { writer.string(other.value) }
            writer.endArray()
        }
        writer.endObject()
    }
}
