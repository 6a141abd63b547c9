import CErrandMicroHTTPD

extension MicroHTTPServer {
    /// The version of libmicrohttpd.
    public static var libraryVersion: String {
        MHD_get_version().map { String(cString: $0) } ?? "unknown"
    }
}
