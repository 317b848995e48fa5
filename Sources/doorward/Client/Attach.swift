import AdapterSimulator
import ArgumentParser
import DoorwardAPI
import DoorwardAdapterKit
import DoorwardClient
import DoorwardControl

/// `doorward attach`: makes a lock known to the gateway.
struct Attach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Attach a lock to a property or unit.",
        discussion: """
            The address tells the adapter which lock it is, and how to reach it; each adapter has keys of its own. A value that \
            reads as JSON (a number, true, a list) is taken as that, any other as text.

            This version has the adapter simulator: locks in memory, to try things on. All its keys can be left out: \
            \(Self.simulatorKeys).

            Examples:
              doorward attach "Front door" --adapter simulator --property "Quay 1"
              doorward attach Cellar --adapter simulator --property "Quay 1" --unit 1A \\
                --address latencyMs=400 batteryLevel=80
            """)

    private static var simulatorKeys: String {
        SimulatorAdapter(clock: SystemClock()).addressFields.map(\.name).joined(separator: ", ")
    }

    @Argument(help: ArgumentHelp("What the lock is to be called.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("The kind of lock, such as simulator.", valueName: "adapter"), completion: .list(["simulator"]))
    var adapter: String

    @Option(help: ArgumentHelp("How the lock speaks, where the adapter has several ways.", valueName: "profile"))
    var profile: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Parts of the lock's address; the option can stand several times.", valueName: "key=value"))
    var address: [AddressPart] = []

    @Option(help: ArgumentHelp("The property that it hangs on: a name or id.", valueName: "property"))
    var property: String

    @Option(help: ArgumentHelp("The unit that it belongs to: a name or id.", valueName: "unit"))
    var unit: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let keys = address.map(\.key) + (profile == nil ? [] : ["profile"])
        if let twice = Dictionary(grouping: keys, by: \.self).first(where: { $1.count > 1 })?.key {
            throw ValidationError("The address has two values for `\(twice.printable)`.")
        }
    }

    func run() async throws {
        let client = try ClientAccess().client()
        let place = try await Finder(client).place(property: property, unit: unit)
        var parts = Dictionary(uniqueKeysWithValues: address.map { ($0.key, $0.value) })
        parts["profile"] = profile.map { .string($0) }
        let device = Wire.NewDevice(
            name: name, adapter: adapter, address: parts, propertyId: place.propertyID ?? property, unitId: place.unitID)
        let answer = try await client.devices.attach(device)
        output.print(json: answer.json) { style in
            let lock = answer.content.device
            return style.isForPerson
                ? ["Attached \(lock.name.printable), id \(lock.id.printable)."]
                : ["\(lock.name.printable)\t\(lock.id.printable)"]
        }
    }
}
