import CurlEngine
import MicroHTTPServer
import TaskStoreSQLite
import YAML

/// What `errand --version` and `/version` say.
enum Versions {
    /// The program's own version.
    static let errand = "0.1.0"

    /// The program and the libraries that it runs with, as they say themselves.
    static var all: [(name: String, version: String)] {
        [
            ("errand", errand),
            ("libcurl", CurlEngine.libraryVersion),
            ("libmicrohttpd", MicroHTTPServer.libraryVersion),
            ("libyaml", YAMLReader.libraryVersion),
            ("sqlite", SQLiteTaskStore.libraryVersion),
        ]
    }
}
