// swift-tools-version: 6.2
import PackageDescription

// On Linux a release build of the command carries Swift's libraries in itself: it runs where no Swift is installed, starts
// in two thirds of the time and is some 4 % faster throughout. `MIRROR_SHARED=1` has them found at run time, as in debug
// builds: for toolchains that come without static libraries, and for tests of a release build, whose libraries are shared.
// Library products know nothing of it.
let staticLibraries = [
    "Foundation", "FoundationNetworking", "FoundationInternationalization", "FoundationEssentials",
    "CoreFoundation", "_CFURLSessionInterface", "_FoundationICU", "_FoundationCShims",
    "_FoundationCollections",
]
let standalone: [LinkerSetting] =
    Context.environment["MIRROR_SHARED"] == nil
    ? [
        .unsafeFlags(
            // Each needs others of them. The toolchain's own linker has no objection to Foundation's use of `mktemp`.
            ["-static-stdlib", "-use-ld=lld", "-Xlinker", "--start-group"] + staticLibraries.map { "-l\($0)" }
                + ["-Xlinker", "--end-group"],
            .when(platforms: [.linux], configuration: .release))
    ] : []

// `MIRROR_DOCS=1 swift package generate-documentation` renders the articles and the documentation of all declarations; nobody
// else fetches what that needs.
let documentation: [Package.Dependency] =
    Context.environment["MIRROR_DOCS"] == nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let package = Package(
    name: "mirror",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "mirror", targets: ["MirrorCLI"]),
        .library(name: "OperationTree", targets: ["OperationTree"]),
        .library(name: "PeriodicLoops", targets: ["PeriodicLoops"]),
        .library(name: "Catalogue", targets: ["Catalogue"]),
        .library(name: "MirrorHTTP", targets: ["MirrorHTTP"]),
        .library(name: "MirrorStore", targets: ["MirrorStore"]),
        .library(name: "MirrorSync", targets: ["MirrorSync"]),
        .library(name: "MirrorServer", targets: ["MirrorServer"]),
        .library(name: "MirrorTesting", targets: ["MirrorTesting"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // Stops the server without cutting off answers; Hummingbird is built on it.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ] + documentation,
    targets: [
        // Leaves: none imports another.
        .target(name: "OperationTree"),
        .target(name: "PeriodicLoops"),
        .target(name: "Catalogue"),
        .target(
            name: "CCurl",
            linkerSettings: [
                .linkedLibrary(":libcurl.so.4", .when(platforms: [.linux])),
                .linkedLibrary("curl", .when(platforms: [.macOS])),
            ]),
        .target(
            name: "CZlib",
            linkerSettings: [
                .linkedLibrary(":libz.so.1", .when(platforms: [.linux])),
                .linkedLibrary("z", .when(platforms: [.macOS])),
            ]),
        .target(name: "ChildProcesses"),
        // For programs and tests to link: nothing of it is called.
        .target(name: "CSQLite"),
        .target(
            name: "MirrorHTTP",
            dependencies: [
                "Catalogue", "CCurl", "CZlib", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .target(
            name: "MirrorStore",
            dependencies: [
                "Catalogue", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(
            name: "CatalogueSources",
            dependencies: [
                "Catalogue", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [
                .embedInCode("BuiltIn/artic.yaml"), .embedInCode("BuiltIn/cleveland.yaml"),
                .embedInCode("BuiltIn/met.yaml"), .embedInCode("BuiltIn/smk.yaml"),
            ]),
        .target(
            name: "MirrorSync",
            dependencies: [
                "OperationTree", "PeriodicLoops", "Catalogue", "CatalogueSources", "ChildProcesses",
                "MirrorHTTP", "MirrorStore", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "MirrorDemo",
            // Compiled into the binary, which then needs no other file.
            resources: [
                .embedInCode("Catalogue/partner.json"), .embedInCode("Catalogue/artists.jsonl"),
                .embedInCode("Catalogue/artworks.jsonl"), .embedInCode("Catalogue/shows.jsonl"),
                .embedInCode("Catalogue/albums.jsonl"), .embedInCode("Catalogue/locations.jsonl"),
                .embedInCode("Catalogue/documents.jsonl"), .embedInCode("Catalogue/user.json"),
            ]),
        .target(
            name: "MirrorServer",
            dependencies: [
                "Catalogue", "CZlib", "MirrorStore", "MirrorSync", "MirrorDemo",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.embedInCode("Pages/Templates")]),
        .executableTarget(
            name: "MirrorCLI",
            dependencies: [
                "OperationTree", "PeriodicLoops", "Catalogue", "CatalogueSources", "ChildProcesses",
                "MirrorHTTP", "MirrorStore", "MirrorSync", "MirrorServer", "CSQLite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            linkerSettings: standalone),
        .target(
            name: "MirrorTesting",
            dependencies: [
                "PeriodicLoops", "Catalogue", "MirrorHTTP", "MirrorStore",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .target(
            name: "MirrorSimulation",
            dependencies: [
                "Catalogue", "CatalogueSources", "ChildProcesses", "MirrorHTTP", "MirrorStore", "MirrorSync",
                "MirrorDemo",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(
            name: "mirror-bench",
            dependencies: [
                "OperationTree", "PeriodicLoops", "Catalogue", "CatalogueSources", "ChildProcesses",
                "MirrorSimulation", "MirrorSync", "CSQLite",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ]),

        // An app of the products alone. It sees what is public in them, as an app in another package does.
        .target(
            name: "ExampleApp",
            dependencies: ["OperationTree", "PeriodicLoops", "Catalogue", "MirrorStore", "MirrorSync"],
            path: "Tests/ExampleApp", packageAccess: false),
        .testTarget(
            name: "ExampleAppTests",
            dependencies: [
                "ExampleApp", "OperationTree", "PeriodicLoops", "Catalogue", "MirrorHTTP", "MirrorStore",
                "MirrorSync", "MirrorServer", "MirrorTesting",
            ],
            packageAccess: false),

        .testTarget(name: "OperationTreeTests", dependencies: ["OperationTree"]),
        .testTarget(name: "PeriodicLoopsTests", dependencies: ["PeriodicLoops", "MirrorTesting"]),
        .testTarget(name: "CatalogueTests", dependencies: ["Catalogue", "ChildProcesses"]),
        .testTarget(name: "ChildProcessesTests", dependencies: ["ChildProcesses"]),
        .testTarget(
            name: "MirrorHTTPTransportTests",
            dependencies: ["MirrorHTTP", "MirrorTesting", "CCurl", "CZlib"]),
        .testTarget(
            name: "MirrorHTTPCacheTests",
            dependencies: ["MirrorHTTP", .product(name: "GRDB", package: "GRDB.swift")]),
        .testTarget(
            name: "MirrorHTTPTests",
            dependencies: ["MirrorHTTP", "MirrorTesting", .product(name: "Crypto", package: "swift-crypto")]),
        .testTarget(
            name: "MirrorTestingTests",
            dependencies: [
                "OperationTree", "PeriodicLoops", "Catalogue", "MirrorHTTP", "MirrorStore", "MirrorSync",
                "MirrorTesting",
            ]),
        .testTarget(name: "CatalogueSourcesTests", dependencies: ["CatalogueSources", "Catalogue"]),
        .testTarget(name: "MirrorDemoTests", dependencies: ["MirrorDemo"]),
        .testTarget(
            name: "MirrorSimulationTests",
            dependencies: [
                "MirrorSimulation", "MirrorHTTP", "MirrorSync", "Catalogue", "CatalogueSources",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .testTarget(
            name: "MirrorServerTests",
            dependencies: [
                "MirrorServer", "MirrorDemo", "MirrorStore", "MirrorTesting", "MirrorSimulation",
                "Catalogue",
                "ChildProcesses", "CZlib",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ]),
        .testTarget(
            name: "MirrorSyncTests",
            dependencies: [
                "MirrorSync", "MirrorServer", "MirrorDemo", "MirrorStore", "MirrorHTTP", "MirrorTesting",
                "MirrorSimulation",
                "OperationTree", "Catalogue", "CatalogueSources", "ChildProcesses", "PeriodicLoops",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "MirrorCLITests",
            dependencies: [
                "MirrorCLI", "MirrorStore", "MirrorSync", "MirrorHTTP", "MirrorDemo", "MirrorServer",
                "MirrorTesting", "MirrorSimulation",
                "Catalogue", "CatalogueSources", "ChildProcesses",
                "OperationTree", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "MirrorStoreTests",
            dependencies: [
                "MirrorStore", "MirrorTesting", "MirrorSimulation", "Catalogue",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            // What earlier versions made, read by tests.
            exclude: ["format-7.sql", "format-9.sql"]),
    ],
    swiftLanguageModes: [.v6]
)

// `MIRROR_STRICT=1` makes each warning an error, as the checks of a change do. It isn't the default: a newer compiler may
// have warnings that this one doesn't.
if Context.environment["MIRROR_STRICT"] != nil {
    for target in package.targets {
        target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    }
}
