// swift-tools-version: 6.2
import PackageDescription

// MARK: Settings

/// The settings of every Swift target.
///
/// Warnings are errors: a warning that may stay is a warning that is not read.
let common: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// Targets without C: an expression that the compiler cannot prove memory safe is an error.
let pure: [SwiftSetting] = common + [.strictMemorySafety()]

/// Targets that import C, the only ones with pointers.
let facingC: [SwiftSetting] = common

// MARK: Layers

/// The folders of `Sources` and `Tests`, from the lowest to the highest.
///
/// A target uses targets of its own layer and of lower ones. `Scripts/check-boundaries` refuses any other import.
enum Layer: String {
    case cLibraries = "CLibraries"
    case foundations = "Foundations"
    case formats = "Formats"
    case client = "Client"
    case server = "Server"
    case store = "Store"
    case gateway = "Gateway"
    case programs = "Programs"
}

/// The name of a target, for the folder that it stands in.
///
/// Target names have to be unique among all packages of a program. So each gets the prefix `Errand`, or `CErrand` for C;
/// products keep their names.
func moduleName(_ folder: String) -> String {
    switch folder {
    case "HTTPSession", "HTTPSessionObservability", "HTTPSessionYAML", "MicroHTTPServer", "errand": folder
    case _ where folder.first == "C" && folder.dropFirst().first?.isUppercase == true: "CErrand" + folder.dropFirst()
    default: "Errand" + folder
    }
}

func dependencies(_ folders: [String], _ packages: [Target.Dependency]) -> [Target.Dependency] {
    folders.map { .target(name: moduleName($0)) } + packages
}

/// A C library of the system: a module map and inline shims, no code of its own.
func systemLibrary(_ folder: String, pkgConfig: String? = nil, apt package: String? = nil) -> Target {
    .systemLibrary(
        name: moduleName(folder), path: "Sources/\(Layer.cLibraries.rawValue)/\(folder)", pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

/// A target in `Sources`, below the folder of its layer.
///
/// `uses` names targets of this package by their folders.
func module(
    _ folder: String, in layer: Layer, uses: [String] = [], packages: [Target.Dependency] = [],
    settings: [SwiftSetting] = pure
) -> Target {
    module(
        folder, at: "Sources/\(layer.rawValue)/\(folder)", uses: uses, packages: packages, settings: settings)
}

/// A target outside of the layers.
func module(
    _ folder: String, at path: String, uses: [String] = [], packages: [Target.Dependency] = [],
    settings: [SwiftSetting] = pure
) -> Target {
    .target(
        name: moduleName(folder), dependencies: dependencies(uses, packages), path: path, swiftSettings: settings)
}

func program(
    _ folder: String, in layer: Layer, uses: [String], packages: [Target.Dependency]
) -> Target {
    .executableTarget(
        name: moduleName(folder), dependencies: dependencies(uses, packages),
        path: "Sources/\(layer.rawValue)/\(folder)", swiftSettings: facingC,
        // A task costs a sixth less processor time with it than with the allocator of the C library. The sanitizers have their own,
        // and debug builds are theirs too.
        linkerSettings: [.linkedLibrary("jemalloc", .when(configuration: .release))])
}

/// A target of tests, below the folder of its layer in `Tests`.
func tests(_ folder: String, in layer: Layer, uses: [String], packages: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: moduleName(folder), dependencies: dependencies(uses, packages),
        path: "Tests/\(layer.rawValue)/\(folder)", swiftSettings: facingC)
}

// MARK: Packages

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let deques: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let heaps: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: [Target.Dependency] = [
    .product(name: "CoreMetrics", package: "swift-metrics"), .product(name: "Metrics", package: "swift-metrics"),
]
let metricsTestKit: Target.Dependency = .product(name: "MetricsTestKit", package: "swift-metrics")

let package = Package(
    name: "errand",
    products: [
        .executable(name: "errand", targets: ["errand"]),
        .library(name: "HTTPSession", targets: ["HTTPSession"]),
        .library(name: "HTTPSessionObservability", targets: ["HTTPSessionObservability"]),
        .library(name: "HTTPSessionYAML", targets: ["HTTPSessionYAML"]),
        .library(name: "MicroHTTPServer", targets: ["MicroHTTPServer"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // C libraries.
        systemLibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        systemLibrary("CExpat", pkgConfig: "expat", apt: "libexpat1-dev"),
        systemLibrary("CGnuTLS", pkgConfig: "gnutls", apt: "libgnutls28-dev"),
        systemLibrary("CIconv"),
        systemLibrary("CLibYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
        systemLibrary("CLinux"),
        systemLibrary("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        systemLibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        systemLibrary("CPublicSuffix", pkgConfig: "libpsl", apt: "libpsl-dev"),
        systemLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        // One file of C, which lets the server see what libmicrohttpd receives.
        module("CServerReads", in: .cLibraries, settings: []),
        // Another, which lets responses survive an HTTP/2 server that wants no more of the request.
        module("CHTTP2Streams", in: .cLibraries, settings: []),

        // Foundations: locks, threads, time, text, cryptography, the log.
        module("Locking", in: .foundations),
        module("Files", in: .foundations, uses: ["CLinux", "Text", "Time"], settings: facingC),
        module("EventLoop", in: .foundations, uses: ["CLinux", "Files", "Locking"], settings: facingC),
        module("Text", in: .foundations),
        module("Time", in: .foundations, uses: ["Text"]),
        module("Cryptography", in: .foundations, uses: ["COpenSSL", "Locking", "Text"], settings: facingC),
        module("Logs", in: .foundations, packages: [logging]),
        module(
            "LogOutput", in: .foundations, uses: ["EventLoop", "Files", "Locking", "Time"], packages: [deques],
            settings: facingC),

        // Formats: what is read and written as text.
        module("JSON", in: .formats, uses: ["Text"]),
        module("XML", in: .formats, uses: ["CExpat"], settings: facingC),
        module("YAML", in: .formats, uses: ["CLibYAML", "Text"], settings: facingC),
        module("PropertyList", in: .formats, uses: ["JSON", "Text", "Time", "XML"]),
        module("Charset", in: .formats, uses: ["CIconv"], settings: facingC),
        module("Compression", in: .formats, uses: ["CZlib", "HTTPGrammar"], settings: facingC),
        module("HTTPGrammar", in: .formats, uses: ["Text", "Time"]),
        module("Cron", in: .formats, uses: ["Time"]),
        module("TimeZones", in: .formats, uses: ["Cron"]),
        module("Metrics", in: .formats, uses: ["HTTPGrammar"]),
        // Declarations of settings, from which files are read and documented.
        module("Settings", in: .formats, uses: ["JSON", "Text", "Time", "YAML"]),

        // Client: one transfer, the engine that runs it, the session manager above.
        module("Transfer", in: .client, uses: ["Egress", "Locking", "Text", "Time"], packages: [httpTypes]),
        module("Egress", in: .client, uses: ["Text"]),
        module(
            "CertificateTrust", in: .client,
            uses: ["COpenSSL", "Locking", "Text", "Time", "Transfer"], settings: facingC),
        module(
            "CurlEngine", in: .client,
            uses: [
                "CCurl", "CertificateTrust", "CHTTP2Streams", "Compression", "COpenSSL", "Egress", "EventLoop", "Files",
                "Locking", "Time", "Transfer",
            ],
            packages: [httpTypes], settings: facingC),
        module("FileSources", in: .client, uses: ["Files", "Locking", "Text", "Transfer"], settings: facingC),
        module(
            "RequestSerialization", in: .client,
            uses: ["Compression", "HTTPGrammar", "JSON", "Locking", "PropertyList", "Text", "Time", "Transfer"],
            packages: [httpTypes]),
        module("ResponseSerialization", in: .client, uses: ["Charset", "HTTPGrammar", "JSON", "PropertyList", "XML"]),
        module(
            "Authentication", in: .client,
            uses: ["Cryptography", "HTTPGrammar", "JSON", "Locking", "Text", "Time", "Transfer"],
            packages: [httpTypes]),
        module("PublicSuffix", in: .client, uses: ["CPublicSuffix"], settings: facingC),
        module("Cookies", in: .client, uses: ["HTTPGrammar", "Locking", "PublicSuffix", "Text", "Transfer"]),
        module(
            "SessionCore", in: .client,
            uses: [
                "Authentication", "Compression", "Cookies", "Cryptography", "Egress", "HTTPGrammar", "JSON", "Locking",
                "RequestSerialization", "ResponseSerialization", "Text", "Time", "Transfer",
            ],
            packages: [httpTypes]),
        module(
            "Downloads", in: .client,
            uses: [
                "Cryptography", "Files", "HTTPGrammar", "JSON", "Locking", "ResponseSerialization", "SessionCore",
                "Text",
                "Transfer",
            ],
            packages: [httpTypes], settings: facingC),
        module(
            "SessionSettings", in: .client,
            uses: [
                "Authentication", "CertificateTrust", "Egress", "HTTPGrammar", "RequestSerialization",
                "ResponseSerialization", "SessionCore", "Settings", "Text", "Transfer", "YAML",
            ],
            packages: [httpTypes]),
        module(
            "HTTPSession", in: .client,
            uses: [
                "Authentication", "CertificateTrust", "Cookies", "CurlEngine", "Downloads", "Egress", "FileSources",
                "HTTPGrammar", "JSON", "Locking", "RequestSerialization", "ResponseSerialization", "SessionCore",
                "Time", "Transfer",
            ],
            packages: [httpTypes]),
        module(
            "HTTPSessionYAML", in: .client,
            uses: ["Files", "JSON", "SessionCore", "SessionSettings", "Settings", "YAML"]),
        module(
            "HTTPSessionObservability", in: .client,
            uses: ["HTTPSession", "Locking", "Time", "Transfer"],
            packages: [httpTypes, logging] + metrics),

        // Server.
        module("HTTPServer", in: .server, uses: ["HTTPGrammar", "JSON", "Locking", "Text"], packages: [httpTypes]),
        module(
            "MicroHTTPServer", in: .server,
            uses: [
                "CGnuTLS", "CMicroHTTPD", "CServerReads", "EventLoop", "Files", "HTTPServer", "Locking", "Logs", "Text",
                "Time",
            ],
            packages: [httpTypes, logging], settings: facingC),

        // Store: durable state.
        module("TaskStore", in: .store, uses: ["Cryptography", "Locking", "Metrics", "Text", "Time"]),
        module(
            "TaskStoreSQLite", in: .store,
            uses: ["CSQLite", "Files", "Locking", "Logs", "TaskStore", "Text", "Time"],
            packages: [deques, grdb, logging],
            settings: facingC),
        module("TaskStoreSealed", in: .store, uses: ["Cryptography", "TaskStore", "Text", "Time"]),
        module(
            "BodyFiles", in: .store, uses: ["Cryptography", "Files", "Locking", "TaskStore", "Text", "Transfer"],
            packages: [logging], settings: facingC),

        // Gateway: the product.
        module(
            "Configuration", in: .gateway,
            uses: [
                "CertificateTrust", "Cron", "Cryptography", "Egress", "HTTPServer", "JSON", "ResponseSerialization",
                "SessionCore", "SessionSettings", "Settings", "Text", "TimeZones", "Transfer", "WebhookSigning", "YAML",
            ],
            packages: [httpTypes]),
        module("WebhookSigning", in: .gateway, uses: ["Cryptography", "Text"]),
        module(
            "TaskAdmission", in: .gateway, uses: ["SessionCore", "TaskStore", "Transfer"], packages: [deques, heaps]),
        module("TaskEvents", in: .gateway, uses: ["Locking", "TaskStore", "Text", "Time"], packages: [deques, heaps]),
        module(
            "TaskEngine", in: .gateway,
            uses: [
                "Authentication", "BodyFiles", "Configuration", "Cookies", "Cron", "Cryptography", "Downloads",
                "FileSources", "Files", "HTTPGrammar", "JSON", "Locking", "Logs", "Metrics", "RequestSerialization",
                "ResponseSerialization", "SessionCore", "SessionSettings", "Settings", "TaskAdmission", "TaskEvents",
                "TaskStore", "Text", "Time", "TimeZones", "Transfer", "WebhookSigning",
            ],
            packages: [deques, httpTypes, logging]),
        module(
            "GatewayAPI", in: .gateway,
            uses: [
                "BodyFiles", "Configuration", "Cron", "Cryptography", "Files", "HTTPGrammar", "HTTPServer", "JSON",
                "Locking", "Metrics", "SessionCore", "Settings", "TaskAdmission", "TaskEngine", "TaskEvents",
                "TaskStore", "Text", "Time", "TimeZones", "Transfer", "YAML",
            ],
            packages: [httpTypes, logging]),
        module(
            "Gateway", in: .gateway,
            uses: [
                "Configuration", "GatewayAPI", "HTTPServer", "SessionCore", "TaskEngine", "TaskEvents", "TaskStore",
                "Transfer",
            ],
            packages: [logging]),

        // Programs.
        program(
            "errand", in: .programs,
            uses: [
                "BodyFiles", "CertificateTrust", "Configuration", "Cryptography", "CurlEngine", "Downloads", "Echo",
                "Files",
                "Gateway", "GatewayAPI", "HTTPServer", "HTTPSession", "JSON", "Locking", "LogOutput",
                "MicroHTTPServer", "SessionCore", "Settings", "TaskEngine", "TaskStore", "TaskStoreSealed",
                "TaskStoreSQLite", "Text", "Time", "Transfer", "WebhookSigning", "YAML",
            ],
            packages: [argumentParser, httpTypes, logging]),
        module(
            "Echo", in: .programs,
            uses: ["Cryptography", "HTTPServer", "JSON", "Locking", "Text", "Time"], packages: [httpTypes]),

        // Tests mirror the sources.
        tests("FilesTests", in: .foundations, uses: ["Files", "Support"]),
        tests("LockingTests", in: .foundations, uses: ["Locking", "Support"]),
        tests("EventLoopTests", in: .foundations, uses: ["EventLoop", "Files", "Locking", "Support"]),
        tests("TextTests", in: .foundations, uses: ["Text"]),
        tests("TimeTests", in: .foundations, uses: ["Support", "Time"]),
        tests("CryptographyTests", in: .foundations, uses: ["Cryptography", "Locking", "Support", "Text"]),
        tests("LogsTests", in: .foundations, uses: ["Logs"]),
        tests("LogOutputTests", in: .foundations, uses: ["LogOutput", "Support"]),
        tests("JSONTests", in: .formats, uses: ["JSON", "Support"]),
        tests("XMLTests", in: .formats, uses: ["Support", "XML"]),
        tests("YAMLTests", in: .formats, uses: ["YAML"]),
        tests("PropertyListTests", in: .formats, uses: ["JSON", "PropertyList", "Support"]),
        tests("CharsetTests", in: .formats, uses: ["Charset"]),
        tests("CompressionTests", in: .formats, uses: ["Compression", "Support"]),
        tests("HTTPGrammarTests", in: .formats, uses: ["HTTPGrammar"]),
        tests("CronTests", in: .formats, uses: ["Cron", "Support", "Time"]),
        tests("TimeZonesTests", in: .formats, uses: ["Cron", "TimeZones"]),
        tests("MetricsTests", in: .formats, uses: ["Metrics"]),
        tests("SettingsTests", in: .formats, uses: ["Settings", "Support", "Time", "YAML"]),
        tests("TransferTests", in: .client, uses: ["Support", "Transfer"], packages: [httpTypes]),
        tests("EgressTests", in: .client, uses: ["Egress", "Support"]),
        tests("CertificateTrustTests", in: .client, uses: ["CertificateTrust", "COpenSSL", "Support", "Transfer"]),
        tests(
            "CurlEngineTests", in: .client,
            uses: [
                "CCurl", "CHTTP2Streams", "Compression", "CurlEngine", "Egress", "EventLoop", "Locking", "Support",
                "Transfer",
            ],
            packages: [httpTypes]),
        tests("FileSourcesTests", in: .client, uses: ["FileSources", "Locking", "Support", "Transfer"]),
        tests(
            "RequestSerializationTests", in: .client,
            uses: ["Compression", "JSON", "Locking", "RequestSerialization", "Support", "Transfer"],
            packages: [httpTypes]),
        tests(
            "ResponseSerializationTests", in: .client,
            uses: ["HTTPGrammar", "JSON", "ResponseSerialization", "Support", "XML"]),
        tests(
            "AuthenticationTests", in: .client,
            uses: [
                "Authentication", "Cryptography", "Locking", "SessionSettings", "Settings", "Support", "Transfer",
            ],
            packages: [httpTypes]),
        tests("PublicSuffixTests", in: .client, uses: ["PublicSuffix"]),
        tests("CookiesTests", in: .client, uses: ["Cookies", "Locking", "Support", "Transfer"]),
        tests(
            "SessionCoreTests", in: .client,
            uses: [
                "Authentication", "Cookies", "Egress", "HTTPGrammar", "Locking", "RequestSerialization",
                "ResponseSerialization", "SessionCore", "Support", "Time", "Transfer",
            ],
            packages: [httpTypes]),
        tests(
            "DownloadsTests", in: .client,
            uses: ["Downloads", "Files", "Locking", "SessionCore", "Support", "Transfer"], packages: [httpTypes]),
        tests(
            "SessionSettingsTests", in: .client,
            uses: [
                "Authentication", "Egress", "SessionCore", "SessionSettings", "Settings", "Support", "Transfer", "YAML",
            ],
            packages: [httpTypes]),
        tests("HTTPSessionTests", in: .client, uses: ["HTTPSession", "Locking", "Support"]),
        tests(
            "HTTPSessionYAMLTests", in: .client,
            uses: ["HTTPSession", "HTTPSessionYAML", "SessionCore", "SessionSettings", "Settings", "Support"]),
        tests(
            "HTTPSessionObservabilityTests", in: .client,
            uses: ["HTTPSession", "HTTPSessionObservability", "Support"],
            packages: [httpTypes, logging, metricsTestKit] + metrics),
        tests(
            "HTTPServerTests", in: .server, uses: ["HTTPServer", "ReferenceParsers", "Support"], packages: [httpTypes]),
        tests(
            "MicroHTTPServerTests", in: .server,
            uses: [
                "CGnuTLS", "Cryptography", "HTTPServer", "Locking", "Logs", "MicroHTTPServer", "Support",
            ],
            packages: [httpTypes, logging]),
        tests("TaskStoreTests", in: .store, uses: ["Cryptography", "TaskStore", "Time"]),
        tests(
            "TaskStoreSQLiteTests", in: .store,
            uses: ["CSQLite", "Locking", "Support", "TaskStore", "TaskStoreSQLite", "Time"],
            packages: [grdb, logging]),
        tests(
            "TaskStoreSealedTests", in: .store,
            uses: ["Cryptography", "Locking", "Support", "TaskStore", "TaskStoreSealed", "TaskStoreSQLite"]),
        tests(
            "BodyFilesTests", in: .store,
            uses: ["BodyFiles", "Cryptography", "Locking", "Support", "TaskStore", "Time", "Transfer"]),
        tests(
            "ConfigurationTests", in: .gateway,
            uses: [
                "Configuration", "HTTPGrammar", "HTTPServer", "JSON", "RequestSerialization", "ResponseSerialization",
                "SessionCore", "Settings", "Support", "Transfer", "YAML",
            ],
            packages: [httpTypes]),
        tests("WebhookSigningTests", in: .gateway, uses: ["WebhookSigning"]),
        tests(
            "TaskAdmissionTests", in: .gateway,
            uses: ["SessionCore", "Support", "TaskAdmission", "TaskStore", "Time", "Transfer"], packages: [httpTypes]),
        tests("TaskEventsTests", in: .gateway, uses: ["Support", "TaskEvents", "TaskStore", "Time"]),
        tests(
            "TaskEngineTests", in: .gateway,
            uses: [
                "Authentication", "BodyFiles", "Configuration", "Cookies", "Cron", "Downloads", "Egress",
                "GatewaySupport", "JSON", "Locking", "Metrics", "RequestSerialization", "ResponseSerialization",
                "SessionCore", "Support", "TaskAdmission", "TaskEngine", "TaskEvents", "TaskStore", "TaskStoreSQLite",
                "Time", "TimeZones", "Transfer", "WebhookSigning",
            ],
            packages: [httpTypes, logging]),
        tests(
            "GatewayAPITests", in: .gateway,
            uses: [
                "Authentication", "Configuration", "Cookies", "Cryptography", "Gateway", "GatewayAPI", "GatewaySupport",
                "HTTPServer", "JSON", "Locking", "Metrics", "SessionCore", "Settings", "Support", "TaskEngine",
                "TaskEvents", "TaskStore", "TaskStoreSQLite", "Time", "Transfer",
            ],
            packages: [httpTypes, logging]),
        tests(
            "GatewayTests", in: .gateway,
            uses: [
                "Configuration", "Gateway", "GatewayAPI", "GatewaySupport", "HTTPServer", "Locking", "SessionCore",
                "Settings", "Support", "TaskEngine", "TaskStore", "Time", "Transfer",
            ],
            packages: [httpTypes, logging]),
        tests("EchoTests", in: .programs, uses: ["Echo", "HTTPServer", "Locking"], packages: [httpTypes]),
        tests(
            "AcceptanceTests", in: .programs,
            // Not the program, which they run but do not import: they would be compiled last, and alone.
            uses: ["Cryptography", "Files", "Locking", "ReferenceParsers", "Support", "Text"]),
        tests("FuzzingTests", in: .programs, uses: ["Fuzzing", "Support"]),

        // Parsers by the letter of a standard, with which tests and fuzz targets compare those of the sources.
        module("ReferenceParsers", at: "Tests/ReferenceParsers"),

        // Servers, clients and suites that several tests share.
        module(
            "Support", at: "Tests/Support",
            uses: ["CGnuTLS", "CLinux", "Cookies", "Files", "Locking", "TaskStore", "Time", "Transfer"],
            packages: [logging], settings: facingC),

        // Dispatchers and gateways with scripted upstreams, for the tests of the gateway's targets.
        module(
            "GatewaySupport", at: "Tests/Gateway/GatewaySupport",
            uses: [
                "BodyFiles", "Configuration", "Gateway", "GatewayAPI", "HTTPServer", "Locking", "Logs", "SessionCore",
                "Settings", "Support", "TaskEngine", "TaskStore", "TaskStoreSQLite", "Time", "Transfer",
            ],
            packages: [httpTypes, logging], settings: facingC),

        // Readers of the texts of others, each with what it promises: run by libFuzzer, and by FuzzingTests over its seeds.
        module(
            "Fuzzing", at: "Fuzz/Sources/Fuzzing",
            uses: [
                "Authentication", "CertificateTrust", "Compression", "Configuration", "Cookies", "CurlEngine",
                "Downloads",
                "Egress", "HTTPGrammar", "HTTPServer", "JSON", "Locking", "Logs", "PropertyList", "ReferenceParsers",
                "RequestSerialization", "ResponseSerialization", "SessionCore", "Settings", "TaskEngine", "TaskEvents",
                "TaskStore", "Text", "Time", "Transfer", "XML", "YAML",
            ],
            packages: [httpTypes, logging]),
    ],
    swiftLanguageModes: [.v6]
)
