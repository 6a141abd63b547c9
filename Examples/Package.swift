// swift-tools-version: 6.2
import PackageDescription

/// The library product, the only dependency that a program outside the package needs.
let session: Target.Dependency = .product(name: "HTTPSession", package: "errand")
/// The library product of programs whose sessions are in a YAML file.
let yaml: Target.Dependency = .product(name: "HTTPSessionYAML", package: "errand")

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"), .treatAllWarnings(as: .error),
]

let package = Package(
    name: "errand-examples",
    dependencies: [
        .package(name: "errand", path: "..")
    ],
    targets: [
        .executableTarget(name: "typed-json", dependencies: [session], swiftSettings: settings),
        .executableTarget(name: "steered-task", dependencies: [session], swiftSettings: settings),
        .executableTarget(name: "own-serializer", dependencies: [session], swiftSettings: settings),
        .executableTarget(name: "refreshed-token", dependencies: [session], swiftSettings: settings),
        .executableTarget(name: "resumed-download", dependencies: [session], swiftSettings: settings),
        .executableTarget(name: "killed-download", dependencies: [session], swiftSettings: settings),
        .executableTarget(name: "streamed-upload", dependencies: [session], swiftSettings: settings),
        .executableTarget(name: "streamed-response", dependencies: [session], swiftSettings: settings),
        .executableTarget(name: "configured-session", dependencies: [session, yaml], swiftSettings: settings),
        .executableTarget(name: "watched-session", dependencies: [session], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
