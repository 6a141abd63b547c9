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
        var written: Set<HTTPField.Name> = []
        for field in fields where written.insert(field.name).inserted {
            writer.member(field.name.rawName)
            let values = fields[values: field.name]
            if values.count == 1 {
                writer.string(values[0])
            } else {
                writer.beginArray()
                values.forEach { writer.string($0) }
                writer.endArray()
            }
        }
        writer.endObject()
    }
}
