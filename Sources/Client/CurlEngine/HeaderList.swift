import CErrandCurl

/// The header fields of a request in libcurl's form; immutable, so that handles may share it.
final class HeaderList {
    /// The fields it was created from.
    let headers: RequestHeaders
    private let list: CurlList

    init(_ headers: RequestHeaders) throws(CurlFailure) {
        self.headers = headers
        list = try headers.list()
    }

    /// The first element, or `nil` for an empty list.
    var head: UnsafeMutablePointer<curl_slist>? { list.head }
}
