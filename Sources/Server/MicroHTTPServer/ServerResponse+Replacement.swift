import ErrandHTTPServer
import HTTPTypes

extension ServerResponse {
    /// Returns another response that is sent in place of this one, with the tag of this one and those of its header
    /// fields that do not describe its content.
    func replaced(by other: ServerResponse) -> ServerResponse {
        var result = other
        for field in headers where !field.name.describesContent && !other.headers.contains(field.name) {
            result.headers.append(field)
        }
        result.tag = tag ?? other.tag
        return result
    }
}

extension HTTPField.Name {
    /// True for a field that describes the content of a response, its versions or how long it may be cached.
    fileprivate var describesContent: Bool {
        switch self {
        case .eTag, .lastModified, .acceptRanges, .cacheControl, .expires, .age: true
        default: canonicalName.hasPrefix("content-")
        }
    }
}
