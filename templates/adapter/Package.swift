// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// The location of Doorward. In a copy of this folder, use the path of a checkout, or `.package(url: …, exact: …)`.
let doorward = Context.environment["DOORWARD_CHECKOUT"] ?? "../.."
let kit = Target.Dependency.product(name: "DoorwardAdapterKit", package: "doorward")
let testing = Target.Dependency.product(name: "DoorwardAdapterTesting", package: "doorward")

let package = Package(
    name: "doorward-adapter-serial",
    products: [.library(name: "AdapterSerial", targets: ["AdapterSerial"])],
    dependencies: [.package(name: "doorward", path: doorward)],
    targets: [
        .target(name: "AdapterSerial", dependencies: [kit], swiftSettings: settings),
        .testTarget(name: "AdapterSerialTests", dependencies: ["AdapterSerial", kit, testing], swiftSettings: settings),
    ]
)
