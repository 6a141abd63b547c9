import MicroHTTPServer

// The HTTPServer module has an actor of the same name, so where Configuration is also imported, these two need an
// alias.

/// The configuration of the server.
typealias HTTPServerConfiguration = ServerConfiguration

/// The listening address of the server.
typealias HTTPListenAddress = ListenAddress
