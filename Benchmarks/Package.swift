// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "errand-benchmarks",
    dependencies: [
        .package(name: "errand", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "engine-bench", dependencies: [.product(name: "HTTPSession", package: "errand")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"), .treatAllWarnings(as: .error),
            ])
    ],
    swiftLanguageModes: [.v6]
)
