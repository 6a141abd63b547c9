// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is compiled with.
///
/// Warnings are errors: a warning nobody must fix is one nobody reads.
let common: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Targets without C: every expression that the compiler cannot prove memory safe is an error.
let pure: [SwiftSetting] = common + [.strictMemorySafety()]

/// Targets that touch C, the only places where pointers live.
let facingC: [SwiftSetting] = common

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "errand",
    products: [
        .executable(name: "errand", targets: ["errand"]),
        .library(name: "HTTPSession", targets: ["HTTPSession"]),
        .library(name: "MicroHTTPServer", targets: ["MicroHTTPServer"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // System libraries: module maps and inline shims, no code of their own.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CLibYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CIconv"),
        .systemLibrary(name: "CPublicSuffix", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"])]),

        .target(name: "Locking", swiftSettings: pure),
        .target(name: "HTTPGrammar", swiftSettings: pure),
        .target(name: "BinaryText", swiftSettings: pure),

        // Time: the calendar, the zones of the world, and when a cron expression comes next.
        .target(name: "CivilCalendar", swiftSettings: pure),
        .target(name: "Cron", dependencies: ["CivilCalendar"], swiftSettings: pure),
        .target(name: "TimeZones", dependencies: ["Cron"], swiftSettings: pure),

        // Formats that requests are written in and responses read from.
        .target(name: "JSON", swiftSettings: pure),
        .target(name: "XML", dependencies: ["CExpat"], swiftSettings: facingC),
        .target(name: "PropertyList", dependencies: ["BinaryText", "JSON", "XML"], swiftSettings: pure),
        .target(name: "Charset", dependencies: ["CIconv"], swiftSettings: facingC),
        .target(name: "Compression", dependencies: ["CZlib"], swiftSettings: facingC),

        // Outbound: one transfer, the engine that runs it, the session manager above.
        .target(name: "EventLoop", dependencies: ["CLinux", "Locking"], swiftSettings: facingC),
        .target(name: "Digest", dependencies: ["COpenSSL"], swiftSettings: facingC),
        .target(name: "Sealing", dependencies: ["COpenSSL", "Locking"], swiftSettings: facingC),
        .target(name: "WebhookSigning", dependencies: ["BinaryText", "COpenSSL", "Digest"], swiftSettings: facingC),
        .target(name: "Egress", swiftSettings: pure),
        .target(name: "Transfer", dependencies: ["BinaryText", "Egress", httpTypes], swiftSettings: pure),
        .target(
            name: "CertificateTrust", dependencies: ["BinaryText", "COpenSSL", "Locking", "Transfer"],
            swiftSettings: facingC),
        .target(
            name: "CurlEngine",
            dependencies: [
                "CCurl", "CertificateTrust", "COpenSSL", "Egress", "EventLoop", "Locking", "Transfer", httpTypes,
            ],
            swiftSettings: facingC),
        .target(name: "FileSources", dependencies: ["Locking", "Transfer"], swiftSettings: facingC),
        .target(
            name: "RequestSerialization",
            dependencies: ["Compression", "HTTPGrammar", "JSON", "Locking", "PropertyList", "Transfer", httpTypes],
            swiftSettings: pure),
        .target(
            name: "ResponseSerialization",
            dependencies: ["Charset", "HTTPGrammar", "JSON", "PropertyList", "XML"],
            swiftSettings: pure),
        .target(
            name: "Authentication",
            dependencies: ["BinaryText", "Digest", "HTTPGrammar", "JSON", "Locking", "Transfer", httpTypes],
            swiftSettings: pure),
        .target(name: "PublicSuffix", dependencies: ["CPublicSuffix"], swiftSettings: facingC),
        .target(
            name: "Cookies", dependencies: ["HTTPGrammar", "Locking", "PublicSuffix", "Transfer"],
            swiftSettings: pure),
        .target(
            name: "SessionCore",
            dependencies: [
                "Authentication", "Cookies", "Egress", "HTTPGrammar", "JSON", "Locking", "RequestSerialization",
                "ResponseSerialization", "Transfer", httpTypes,
            ],
            swiftSettings: pure),
        .target(
            name: "HTTPSession",
            dependencies: [
                "Authentication", "CertificateTrust", "Cookies", "CurlEngine", "Egress", "FileSources", "HTTPGrammar",
                "JSON", "RequestSerialization", "ResponseSerialization", "SessionCore", "Transfer", httpTypes,
            ],
            swiftSettings: pure),

        // Inbound: the server.
        .target(name: "HTTPServer", dependencies: ["HTTPGrammar", "JSON", "Locking", httpTypes], swiftSettings: pure),
        .target(
            name: "MicroHTTPServer",
            dependencies: ["CGnuTLS", "CMicroHTTPD", "EventLoop", "HTTPServer", "Locking", httpTypes, logging],
            swiftSettings: facingC),

        // Durable state.
        .target(name: "TaskStore", dependencies: ["CivilCalendar", "Locking"], swiftSettings: pure),
        .target(
            name: "TaskEvents",
            dependencies: [
                "Locking", "TaskStore", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: pure),
        .target(
            name: "TaskStoreSQLite",
            dependencies: ["Locking", "TaskStore", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: facingC),
        .target(name: "TaskStoreSealed", dependencies: ["Sealing", "TaskStore"], swiftSettings: pure),
        .target(
            name: "BodyFiles", dependencies: ["Digest", "Locking", "TaskStore", "Transfer"], swiftSettings: facingC),

        // When tasks start: the order, the places, the rates.
        .target(
            name: "TaskAdmission",
            dependencies: [
                "SessionCore", "TaskStore",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: pure),

        // The gateway.
        .target(name: "YAML", dependencies: ["CLibYAML"], swiftSettings: facingC),
        .target(
            name: "Configuration",
            dependencies: [
                "Authentication", "BinaryText", "CertificateTrust", "Cron", "Digest", "Egress", "HTTPGrammar", "JSON",
                "RequestSerialization", "ResponseSerialization", "SessionCore", "TimeZones", "Transfer",
                "WebhookSigning", "YAML", httpTypes,
            ],
            swiftSettings: pure),
        .target(
            name: "Gateway",
            dependencies: [
                "Authentication", "BodyFiles", "Configuration", "Cookies", "Cron", "Digest", "HTTPGrammar",
                "HTTPServer", "JSON", "Locking", "RequestSerialization", "ResponseSerialization", "SessionCore",
                "TaskAdmission", "TaskEvents", "TaskStore", "TimeZones", "Transfer", "WebhookSigning",
                httpTypes, logging,
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: pure),
        // What reads the texts of others, with what it promises: run by libFuzzer, and by the tests over its seeds.
        .target(
            name: "Fuzzing",
            dependencies: [
                "Authentication", "BinaryText", "CertificateTrust", "Configuration", "Cookies", "Egress", "Gateway",
                "HTTPGrammar", "HTTPServer", "JSON", "PropertyList", "RequestSerialization", "ResponseSerialization",
                "SessionCore", "TaskEvents", "TaskStore", "Transfer", "XML", "YAML", httpTypes, logging,
            ],
            path: "Fuzz/Sources/Fuzzing", swiftSettings: pure),
        .target(
            name: "Echo", dependencies: ["BinaryText", "Digest", "HTTPServer", "JSON", "Locking", httpTypes],
            swiftSettings: pure),
        .executableTarget(
            name: "errand",
            dependencies: [
                "BodyFiles", "CertificateTrust", "Configuration", "CurlEngine", "Digest", "Echo", "Gateway",
                "HTTPServer", "HTTPSession", "JSON", "MicroHTTPServer", "Sealing", "SessionCore", "TaskStore",
                "TaskStoreSQLite", "TaskStoreSealed", "Transfer", "WebhookSigning", "YAML", logging,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: facingC),

        // Tests mirror the sources; `Support` holds the servers, clients and suites that several of them share.
        .target(
            name: "Support", dependencies: ["CLinux", "Locking", "TaskStore", "Transfer"], path: "Tests/Support",
            swiftSettings: facingC),
        .testTarget(name: "EgressTests", dependencies: ["Egress", "Support"], swiftSettings: pure),
        .testTarget(
            name: "CertificateTrustTests", dependencies: ["COpenSSL", "CertificateTrust", "Support", "Transfer"],
            swiftSettings: facingC),
        .testTarget(name: "SealingTests", dependencies: ["Sealing", "Support"], swiftSettings: pure),
        .testTarget(
            name: "TaskStoreSealedTests",
            dependencies: ["Locking", "Sealing", "Support", "TaskStore", "TaskStoreSQLite", "TaskStoreSealed"],
            swiftSettings: facingC),
        .testTarget(name: "EventLoopTests", dependencies: ["EventLoop", "Support"], swiftSettings: facingC),
        .testTarget(name: "WebhookSigningTests", dependencies: ["WebhookSigning"], swiftSettings: facingC),
        .testTarget(name: "DigestTests", dependencies: ["Digest"], swiftSettings: facingC),
        .testTarget(name: "BinaryTextTests", dependencies: ["BinaryText"], swiftSettings: facingC),
        .testTarget(name: "HTTPGrammarTests", dependencies: ["HTTPGrammar"], swiftSettings: facingC),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "Support"], swiftSettings: facingC),
        .testTarget(name: "CivilCalendarTests", dependencies: ["CivilCalendar"], swiftSettings: facingC),
        .testTarget(name: "CronTests", dependencies: ["CivilCalendar", "Cron", "Support"], swiftSettings: facingC),
        .testTarget(name: "TimeZonesTests", dependencies: ["Cron", "TimeZones"], swiftSettings: facingC),
        .testTarget(name: "XMLTests", dependencies: ["Support", "XML"], swiftSettings: facingC),
        .testTarget(
            name: "PropertyListTests", dependencies: ["JSON", "PropertyList", "Support"], swiftSettings: facingC),
        .testTarget(name: "CharsetTests", dependencies: ["Charset"], swiftSettings: facingC),
        .testTarget(name: "CompressionTests", dependencies: ["Compression"], swiftSettings: facingC),
        .testTarget(
            name: "FileSourcesTests", dependencies: ["FileSources", "Locking", "Support", "Transfer"],
            swiftSettings: facingC),
        .testTarget(
            name: "RequestSerializationTests",
            dependencies: ["Compression", "JSON", "Locking", "RequestSerialization", "Support", "Transfer", httpTypes],
            swiftSettings: facingC),
        .testTarget(
            name: "ResponseSerializationTests",
            dependencies: ["HTTPGrammar", "JSON", "ResponseSerialization", "Support", "XML"], swiftSettings: facingC),
        .testTarget(
            name: "AuthenticationTests",
            dependencies: ["Authentication", "Digest", "Locking", "Support", "Transfer", httpTypes],
            swiftSettings: facingC),
        .testTarget(name: "PublicSuffixTests", dependencies: ["PublicSuffix"], swiftSettings: facingC),
        .testTarget(
            name: "CookiesTests", dependencies: ["Cookies", "Locking", "Support", "Transfer"], swiftSettings: facingC),
        .testTarget(name: "TransferTests", dependencies: ["Support", "Transfer", httpTypes], swiftSettings: facingC),
        .testTarget(
            name: "CurlEngineTests",
            dependencies: ["CCurl", "CurlEngine", "Egress", "Locking", "Support", "Transfer", httpTypes],
            swiftSettings: facingC),
        .testTarget(
            name: "SessionCoreTests",
            dependencies: [
                "Authentication", "Cookies", "Egress", "HTTPGrammar", "JSON", "Locking", "RequestSerialization",
                "ResponseSerialization", "SessionCore", "Support", "Transfer", httpTypes,
            ],
            swiftSettings: facingC),
        .testTarget(
            name: "HTTPSessionTests", dependencies: ["HTTPSession", "Locking", "SessionCore", "Support"],
            swiftSettings: facingC),
        .testTarget(name: "HTTPServerTests", dependencies: ["HTTPServer", httpTypes], swiftSettings: facingC),
        .testTarget(
            name: "MicroHTTPServerTests",
            dependencies: [
                "CGnuTLS", "Locking", "EventLoop", "HTTPServer", "MicroHTTPServer", "Support", httpTypes, logging,
            ],
            swiftSettings: facingC),
        .testTarget(
            name: "TaskEventsTests", dependencies: ["Locking", "Support", "TaskEvents", "TaskStore"],
            swiftSettings: facingC),
        .testTarget(name: "TaskStoreTests", dependencies: ["TaskStore"], swiftSettings: facingC),
        .testTarget(
            name: "TaskStoreSQLiteTests",
            dependencies: [
                "Locking", "Support", "TaskStore", "TaskStoreSQLite", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: facingC),
        .testTarget(
            name: "BodyFilesTests", dependencies: ["BodyFiles", "Digest", "TaskStore", "Transfer"],
            swiftSettings: facingC),
        .testTarget(
            name: "TaskAdmissionTests",
            dependencies: ["SessionCore", "Support", "TaskAdmission", "TaskStore", httpTypes],
            swiftSettings: facingC),
        .testTarget(name: "YAMLTests", dependencies: ["YAML"], swiftSettings: facingC),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "Authentication", "Configuration", "Egress", "HTTPGrammar", "JSON", "RequestSerialization",
                "ResponseSerialization", "SessionCore", "Support", "Transfer", "YAML", httpTypes,
            ],
            swiftSettings: facingC),
        .testTarget(
            name: "EchoTests", dependencies: ["Locking", "Echo", "HTTPServer", httpTypes], swiftSettings: facingC),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "BodyFiles", "Configuration", "Cookies", "Digest", "Gateway", "HTTPServer", "JSON", "Locking",
                "RequestSerialization", "ResponseSerialization", "SessionCore", "Support", "TaskAdmission",
                "TaskEvents", "TaskStore",
                "TaskStoreSQLite", "Transfer", "WebhookSigning", httpTypes, logging,
            ],
            swiftSettings: facingC),
        .testTarget(name: "FuzzingTests", dependencies: ["Fuzzing"], swiftSettings: facingC),
        // The program itself, from outside: `errand` is a dependency so that it is built.
        .testTarget(
            name: "AcceptanceTests", dependencies: ["Locking", "Digest", "Support", "errand"], swiftSettings: facingC),
    ],
    swiftLanguageModes: [.v6]
)
