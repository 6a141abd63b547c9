import CErrandCurl
import ErrandTransfer

/// The URL of a request as parsed by libcurl; immutable, so that handles may share it.
final class DialledURL {
    /// The URL it was created from.
    let url: HTTPURL
    private let parsed: CurlURL

    init(_ url: HTTPURL) throws(CurlFailure) {
        var parsed = try CurlURL()
        try parsed.set(url)
        self.url = url
        self.parsed = parsed
    }

    /// The underlying `CURLU`.
    var handle: OpaquePointer { parsed.handle }
}
