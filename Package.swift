// swift-tools-version: 6.2
import PackageDescription

/// The settings that every target of Doorward is built with.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A module under `Sources/`. The table in CONTRIBUTING.md lists the dependencies that it may have.
func module(
    _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, exclude: exclude, resources: resources, swiftSettings: strict)
}

/// A test target for one module, in `Tests/<name>Tests`. The tests of an adapter are in the adapter's own folder.
func tests(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict)
}

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let collections = Target.Dependency.product(name: "HashTreeCollections", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let certificateReloading = Target.Dependency.product(name: "NIOCertificateReloading", package: "swift-nio-extras")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")

/// The modules of use cases.
let rooms: [Target.Dependency] = ["DoorwardKernel", "DoorwardLocks", "DoorwardTenancy", "DoorwardRecords", "DoorwardStreams"]

/// The names of the MQTT profiles that are embedded in the program.
let shippedProfiles = [
    "esphome", "homeassistant", "homekey-esp32", "homie", "nuki-hub", "nuki-native", "ring-mqtt", "tasmota", "zigbee2mqtt",
    "zwave-js-ui",
]

let package = Package(
    name: "doorward",
    products: [
        .executable(name: "doorward", targets: ["doorward"]),
        .executable(name: "doorward-mqtt-locks", targets: ["doorward-mqtt-locks"]),
        // Adapters outside this repository are built with the first library and tested with the second
        // (docs/write-an-adapter.md). Neither depends on another package.
        .library(name: "DoorwardAdapterKit", targets: ["DoorwardAdapterKit", "DoorwardDomain"]),
        .library(name: "DoorwardAdapterTesting", targets: ["DoorwardAdapterTesting"]),
        // Apps are built with the first library and tested with the second (docs/client.md).
        .library(name: "DoorwardClient", targets: ["DoorwardClient"]),
        .library(name: "DoorwardClientTesting", targets: ["DoorwardClientTesting"]),
    ],
    // Exact versions, because `Package.resolved` is not part of the repository: every build has the same ones.
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
        .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    ],
    targets: [
        // The entities: portfolios, properties, units and devices, roles, operations, decisions, records, commands, ids. No I/O.
        module("DoorwardDomain", []),
        // The tenancy in memory, and the access decisions over it. No I/O.
        module("DoorwardPolicy", ["DoorwardDomain", collections]),
        // Record encoding, Merkle tree, commitments, verification of logs. No I/O.
        module("DoorwardAudit", ["DoorwardDomain", crypto]),
        // The interface between the gateway and the adapters of all lock types.
        module("DoorwardAdapterKit", ["DoorwardDomain"]),
        // Reads YAML files section by section and reports every error with its line. Only this module and the configuration use
        // Yams.
        module("DoorwardYAML", ["DoorwardDomain", yams]),
        // libmosquitto, and a Swift interface to it.
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        module("DoorwardMQTT", ["CMosquitto", "DoorwardDomain"]),
        // The kernel's report whether its clock is synchronised: adjtimex(2), which the module Glibc does not contain.
        .systemLibrary(name: "CTimex"),
        // What every use case stands on: caller and errors, the ports of the store, the current directory and its changes, the feed
        // of changes, clocks, lists, and what a reader may see.
        module(
            "DoorwardKernel",
            ["CTimex", "DoorwardDomain", "DoorwardPolicy", "DoorwardAudit", logging, metrics, crypto, deque, heap]),
        // From a command to its outcome: decide, write the intent, send, wait for the lock, write the outcome. Reports of locks,
        // recovery, lockdowns, adapters.
        module(
            "DoorwardLocks",
            ["DoorwardKernel", "DoorwardDomain", "DoorwardPolicy", "DoorwardAdapterKit", logging, metrics, crypto, deque]),
        // The use cases of places, people, devices, guests, invitations, keys and sign-in.
        module(
            "DoorwardTenancy",
            [
                "DoorwardKernel", "DoorwardLocks", "DoorwardDomain", "DoorwardPolicy", "DoorwardAudit", "DoorwardAdapterKit",
                metrics, crypto, cryptoExtras, heap,
            ]),
        // The use cases of the access logs: history, checkpoints, proofs, retention, erasure, exports, compliance, backups.
        module(
            "DoorwardRecords", ["DoorwardKernel", "DoorwardDomain", "DoorwardPolicy", "DoorwardAudit", logging, metrics]),
        // The live stream.
        module("DoorwardStreams", ["DoorwardKernel", "DoorwardDomain", "DoorwardPolicy", metrics, crypto, deque]),
        // Wires the five into one gateway, with its start, recovery and stop.
        module(
            "DoorwardControl",
            rooms + ["DoorwardDomain", "DoorwardPolicy", "DoorwardAdapterKit", logging, metrics]),
        // Persistent storage in SQLite. Only this module uses GRDB.
        module(
            "DoorwardStore",
            ["DoorwardDomain", "DoorwardAudit", "DoorwardPolicy", "DoorwardKernel", grdb, sqlite, logging, metrics]),
        // The HTTP API's types: requests, responses, error codes.
        module("DoorwardAPI", []),
        // The web console: files that the gateway serves, and that call its HTTP API.
        module("DoorwardConsole", [], exclude: ["api.d.ts", "console.d.ts"], resources: [.embedInCode("Resources")]),
        // zlib, with which the console's files and lists of locks are compressed. swift-nio-extras is built with it, too.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Routes, sign-in, and the mapping from errors to HTTP statuses. Only this module uses Hummingbird.
        module(
            "DoorwardHTTP",
            [
                "CZlib", "DoorwardDomain", "DoorwardPolicy", "DoorwardControl", "DoorwardAPI", "DoorwardConsole", hummingbird,
                hummingbirdCore, hummingbirdTLS, mustache,
                httpTypes, nioCore, nioPosix, nioHTTP1, nioSSL, certificateReloading, jwt, x509, asn1, crypto, logging, metrics,
            ]),
        // The client library for programs that call a gateway.
        module("DoorwardClient", ["DoorwardAPI", httpClient, nioCore, nioPosix, nioHTTP1, nioSSL, logging]),
        // Test support for apps that use the client library: mocks, a scripted stream, virtual clock.
        module("DoorwardClientTesting", ["DoorwardClient"]),
        // Test support for adapters inside and outside this repository: virtual clock, executor, conformance checks.
        module("DoorwardAdapterTesting", ["DoorwardAdapterKit", "DoorwardDomain"]),
        // Tenancy fixture, fakes, conformance checks for stores. It exports DoorwardAdapterTesting too.
        module(
            "DoorwardTesting",
            [
                "DoorwardDomain", "DoorwardPolicy", "DoorwardAudit", "DoorwardAdapterKit", "DoorwardAdapterTesting",
                "DoorwardControl", "DoorwardStore", "DoorwardMQTT", logging,
            ]),
        // The simulated lock.
        module(
            "AdapterSimulator", ["DoorwardAdapterKit", "DoorwardDomain", "DoorwardYAML"], path: "adapters/simulator/Sources"),
        // Locks that use MQTT, in the dialects that profiles describe.
        module(
            "AdapterMQTT", ["DoorwardAdapterKit", "DoorwardDomain", "DoorwardMQTT", "DoorwardYAML", logging],
            path: "adapters/mqtt/Sources",
            resources: shippedProfiles.map { .embedInCode("Profiles/\($0).yaml") }),
        // Simulates a fleet of MQTT locks on a real broker.
        .executableTarget(
            name: "doorward-mqtt-locks", dependencies: ["DoorwardMQTT", arguments], path: "simulators/mqtt-locks/Sources",
            swiftSettings: strict),
        // The program. `serve` only connects the modules.
        .executableTarget(
            name: "doorward",
            dependencies: [
                "DoorwardDomain", "DoorwardPolicy", "DoorwardAudit", "DoorwardAdapterKit", "DoorwardControl", "DoorwardStore",
                "DoorwardHTTP", "DoorwardAPI", "DoorwardClient", "AdapterSimulator", "AdapterMQTT", "DoorwardMQTT",
                "DoorwardYAML",
                arguments, lifecycle, unixSignals, yams, logging, metrics,
            ],
            swiftSettings: strict),

        tests("DoorwardDomainTests", ["DoorwardDomain", "DoorwardTesting"]),
        tests(
            "DoorwardPolicyTests",
            ["DoorwardPolicy", "DoorwardControl", "DoorwardAdapterKit", "DoorwardDomain", "DoorwardTesting"]),
        tests("DoorwardAuditTests", ["DoorwardAudit", "DoorwardDomain", "DoorwardTesting", crypto], exclude: ["Fixtures"]),
        tests("DoorwardMQTTTests", ["DoorwardMQTT", "DoorwardDomain", "DoorwardTesting"]),
        tests("DoorwardAdapterKitTests", ["DoorwardAdapterKit", "DoorwardAdapterTesting", "DoorwardDomain"]),
        tests("DoorwardKernelTests", ["DoorwardKernel", "DoorwardDomain", "DoorwardTesting"]),
        tests("DoorwardLocksTests", ["DoorwardLocks", "DoorwardKernel", "DoorwardAdapterKit", "DoorwardDomain"]),
        tests(
            "DoorwardRecordsTests",
            ["DoorwardRecords", "DoorwardKernel", "DoorwardPolicy", "DoorwardAudit", "DoorwardDomain", "DoorwardTesting"]),
        tests("DoorwardStreamsTests", ["DoorwardStreams", "DoorwardKernel", "DoorwardDomain", "DoorwardTesting"]),
        tests(
            "DoorwardControlTests",
            [
                "DoorwardControl", "DoorwardPolicy", "DoorwardAudit", "DoorwardAdapterKit", "DoorwardDomain", "DoorwardStore",
                "DoorwardTesting", logging, metrics,
            ] + rooms),
        tests(
            "DoorwardStoreTests",
            [
                "DoorwardStore", "DoorwardControl", "DoorwardPolicy", "DoorwardAudit", "DoorwardAdapterKit", "DoorwardDomain",
                "DoorwardTesting", grdb, sqlite, logging, metrics,
            ] + rooms),
        tests("DoorwardAPITests", ["DoorwardAPI"]),
        tests(
            "DoorwardClientTests",
            [
                "DoorwardClient", "DoorwardClientTesting", "DoorwardAPI", "DoorwardTesting", nioCore, nioPosix, nioHTTP1, nioSSL,
                logging,
            ], exclude: ["Fixtures"]),
        tests(
            "DoorwardHTTPTests",
            [
                "CZlib", "DoorwardHTTP", "DoorwardAPI", "DoorwardClient", "DoorwardConsole", "DoorwardControl", "DoorwardPolicy",
                "DoorwardAudit",
                "DoorwardAdapterKit", "DoorwardDomain", "DoorwardStore", "DoorwardTesting",
                "AdapterSimulator", hummingbird, hummingbirdCore, hummingbirdTesting, httpTypes, nioCore, nioEmbedded, nioPosix,
                nioSSL, jwt, x509, asn1, crypto, logging, metrics,
            ] + rooms),
        tests(
            "AdapterSimulatorTests",
            [
                "AdapterSimulator", "DoorwardAdapterKit", "DoorwardDomain", "DoorwardPolicy", "DoorwardControl", "DoorwardStore",
                "DoorwardAudit", "DoorwardYAML", "DoorwardTesting", grdb, logging,
            ],
            path: "adapters/simulator/Tests"),
        tests(
            "AdapterMQTTTests",
            [
                "AdapterMQTT", "DoorwardMQTT", "DoorwardControl", "DoorwardAdapterKit", "DoorwardDomain", "DoorwardYAML",
                "DoorwardTesting", "doorward-mqtt-locks", logging,
            ],
            path: "adapters/mqtt/Tests"),
        tests(
            "MQTTLocksTests", ["doorward-mqtt-locks", "DoorwardMQTT", "DoorwardTesting", arguments],
            path: "simulators/mqtt-locks/Tests"),
        tests(
            "DoorwardTestingTests",
            ["DoorwardTesting", "DoorwardControl", "DoorwardPolicy", "DoorwardAudit", "DoorwardAdapterKit", "DoorwardDomain"]),
        tests(
            "DoorwardTests",
            [
                "doorward", "DoorwardDomain", "DoorwardPolicy", "DoorwardAudit", "DoorwardControl", "DoorwardStore",
                "DoorwardHTTP", "DoorwardAPI", "DoorwardClient", "DoorwardTesting", "AdapterSimulator", "AdapterMQTT",
                "DoorwardMQTT", arguments, logging, metrics,
            ] + rooms),
        // Tests the built program from outside: over HTTP, with signals, on a real database file.
        tests(
            "EndToEnd",
            [
                "doorward", "doorward-mqtt-locks", "DoorwardMQTT", "DoorwardClient", "DoorwardTesting", httpClient, nioCore,
                nioPosix,
                nioHTTP1,
            ],
            path: "Tests/EndToEnd", exclude: ["Fixtures"]),
    ]
)

// Benchmarks, described in Benchmarks/README.md. They are built only on request, so that an ordinary build stays quick.
if Context.environment["DOORWARD_BENCHMARKS"] != nil {
    package.targets += [
        module("BenchmarkSupport", [], path: "Benchmarks/Support"),
        .executableTarget(
            name: "benchmark-policy", dependencies: ["BenchmarkSupport", "DoorwardPolicy", "DoorwardDomain"],
            path: "Benchmarks/Policy",
            swiftSettings: strict),
        module("BenchmarkFleet", ["DoorwardControl", "DoorwardPolicy", "DoorwardDomain"], path: "Benchmarks/Fleet"),
        module(
            "BenchmarkGateway", ["BenchmarkSupport", "DoorwardDomain", nioCore, nioPosix], path: "Benchmarks/Gateway"),
        .executableTarget(
            name: "benchmark-scale",
            dependencies: [
                "BenchmarkSupport", "BenchmarkFleet", "BenchmarkGateway", "DoorwardStore", "DoorwardControl", "DoorwardAudit",
                "DoorwardPolicy", "DoorwardDomain",
                httpClient, nioCore, nioHTTP1, logging,
            ],
            path: "Benchmarks/Scale",
            swiftSettings: strict),
        .executableTarget(
            name: "benchmark-unlock",
            dependencies: [
                "BenchmarkSupport", "BenchmarkFleet", "BenchmarkGateway", "DoorwardHTTP", "DoorwardStore", "DoorwardControl",
                "DoorwardAudit",
                "DoorwardPolicy",
                "DoorwardDomain", "AdapterSimulator", hummingbird, nioCore, nioPosix, logging,
            ],
            path: "Benchmarks/Unlock",
            swiftSettings: strict),
        .executableTarget(
            name: "benchmark-stream",
            dependencies: [
                "BenchmarkSupport", "BenchmarkFleet", "BenchmarkGateway", "DoorwardStore", "DoorwardControl", "DoorwardPolicy",
                "DoorwardDomain", nioCore, nioPosix, nioHTTP1, logging,
            ],
            path: "Benchmarks/Stream",
            swiftSettings: strict),
        .executableTarget(
            name: "benchmark-audit", dependencies: ["BenchmarkSupport", "DoorwardAudit", "DoorwardDomain", crypto],
            path: "Benchmarks/Audit",
            swiftSettings: strict),
        .executableTarget(
            name: "benchmark-mqtt-bare", dependencies: ["CMosquitto"], path: "Benchmarks/MQTT/Bare",
            linkerSettings: [.linkedLibrary("mosquitto")]),
        .executableTarget(
            name: "benchmark-mqtt",
            dependencies: [
                "BenchmarkSupport", "BenchmarkFleet", "BenchmarkGateway", "DoorwardMQTT", "DoorwardStore", "DoorwardControl",
                "DoorwardPolicy", "DoorwardDomain", nioCore, logging,
            ],
            path: "Benchmarks/MQTT/RoundTrips",
            swiftSettings: strict),
    ]
}
