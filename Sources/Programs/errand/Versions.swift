import ErrandCurlEngine
import ErrandTaskStoreSQLite
import ErrandYAML
import MicroHTTPServer

/// The versions shown by `errand --version` and `/version`.
enum Versions {
    /// The version of the program.
    static let errand = "0.1.0"

    /// The program and its libraries, with the versions that they report at run time.
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
