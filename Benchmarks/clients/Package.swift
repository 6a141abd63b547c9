// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, so that the other benchmarks do not build async-http-client.
let package = Package(
    name: "errand-client-benchmarks",
    dependencies: [
        .package(name: "errand", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "client-bench",
            dependencies: [
                .product(name: "HTTPSession", package: "errand"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"), .treatAllWarnings(as: .error),
            ])
    ],
    swiftLanguageModes: [.v6]
)
