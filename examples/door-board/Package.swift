// swift-tools-version: 6.2
import PackageDescription

// The location of Doorward. In a copy of this folder, use the path of a checkout, or `.package(url: …, exact: …)`.
let doorward = Context.environment["DOORWARD_CHECKOUT"] ?? "../.."

let package = Package(
    name: "door-board",
    dependencies: [.package(name: "doorward", path: doorward)],
    targets: [
        .executableTarget(
            name: "door-board", dependencies: [.product(name: "DoorwardClient", package: "doorward")],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .treatAllWarnings(as: .error)])
    ]
)
