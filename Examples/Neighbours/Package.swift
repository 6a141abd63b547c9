// swift-tools-version: 6.2
import PackageDescription

/// A program that uses errand together with two packages with many targets.
///
/// Target names have to be unique among all packages of a program. `Scripts/test` has the package manager load this
/// package, which fails if a target of errand has a name that one of the others uses.
let package = Package(
    name: "errand-neighbours",
    dependencies: [
        .package(name: "errand", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .executableTarget(
            name: "neighbours",
            dependencies: [
                .product(name: "HTTPSession", package: "errand"),
                .product(name: "MicroHTTPServer", package: "errand"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ])
    ]
)
