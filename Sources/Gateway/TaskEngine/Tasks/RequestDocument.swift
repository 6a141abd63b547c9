import ErrandJSON
import ErrandSessionCore
import HTTPTypes

/// The `request` member of a task: the sent request without its secrets.
enum RequestDocument {
    /// Returns the member for a request that a session has prepared.
    ///
    /// - Parameter hidden: The values that it does not have; with any, it has no command either. Default: none.
    static func bytes(of request: PreparedRequest, hiding hidden: HiddenValues? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", request.method.rawValue)
        writer.member("url", hidden?.shownURL(of: request) ?? request.shownURL)
        writer.member("headers")
        HeaderDocument.write(hidden?.shownHeaders(of: request) ?? request.shownHeaders, to: &writer)
        writer.member("body_size", request.bodySize)
        writer.member("curl", hidden == nil ? request.curlCommand : nil)
        writer.endObject()
        return writer.bytes
    }

    /// Returns the names of the header fields in a member whose values are not shown.
    static func redactedNames(in request: JSONObject) -> Set<HTTPField.Name> {
        let headers = request["headers"]?.object?.members ?? []
        return Set(
            headers.filter { $0.value.string == HeaderRedaction.placeholder }.compactMap { HTTPField.Name($0.key) })
    }

    /// Returns the member for a request that no session has prepared, with the values that are known.
    static func bytes(method: String, url: String, bodySize: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("method", method)
        writer.member("url", url)
        writer.member("headers")
        writer.beginObject()
        writer.endObject()
        writer.member("body_size", bodySize)
        writer.member("curl")
        writer.null()
        writer.endObject()
        return writer.bytes
    }
}
