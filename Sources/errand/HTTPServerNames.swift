import MicroHTTPServer

// The module's name is also its actor's, so where `Configuration` is imported too, these two have no other name.

/// How the server listens.
typealias HTTPServerConfiguration = ServerConfiguration

/// Where the server listens.
typealias HTTPListenAddress = ListenAddress
