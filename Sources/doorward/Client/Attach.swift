import ArgumentParser
import DoorwardAPI
import DoorwardAdapterKit
import DoorwardClient

/// `doorward attach`: makes a lock known to the gateway.
struct Attach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Attach a lock to a property or unit.",
        discussion: """
            The address tells the adapter which lock it is, and how to reach it; each adapter has keys of its own. A value that \
            reads as JSON (a number, true, a list) is taken as that, any other as text.

            \(ShippedAdapters.guides.map { "\($0.kind): \($0.attaching)" }.joined(separator: "\n\n"))

            What `doorward discovered` lists is attached by its id; options beside it change or add parts of the address.

            Examples:
              doorward attach "Front door" --adapter simulator --property "Quay 1"
              doorward attach Cellar --adapter simulator --property "Quay 1" --unit 1A \\
                --address latencyMs=400 batteryLevel=80
              doorward attach Gate --adapter mqtt --profile zigbee2mqtt --property "Quay 1" \\
                --address broker=home name=gate
              doorward attach Gate --discovered home:zigbee2mqtt:0x00158d0001 --property "Quay 1"
            """)

    @Argument(help: ArgumentHelp("What the lock is to be called.", valueName: "name"))
    var name: String

    @Option(
        help: ArgumentHelp(
            "The kind of lock: \(ShippedAdapters.guides.map(\.kind).joined(separator: " or ")).", valueName: "adapter"),
        completion: .list(ShippedAdapters.guides.map(\.kind)))
    var adapter: String?

    @Option(help: ArgumentHelp("A lock that was found, by its id in `doorward discovered`.", valueName: "id"))
    var discovered: String?

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
    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        if (adapter == nil) == (discovered == nil) {
            throw ValidationError("Say --adapter and the address, or --discovered with the id of a lock that was found.")
        }
        let keys = address.map(\.key) + (profile == nil ? [] : ["profile"])
        if let twice = Dictionary(grouping: keys, by: \.self).first(where: { $1.count > 1 })?.key {
            throw ValidationError("The address has two values for `\(twice.printable)`.")
        }
    }

    func run() async throws {
        let client = try gateway.client()
        let place = try await Finder(client).place(property: property, unit: unit)
        var device = Wire.NewDevice(
            name: name, adapter: adapter ?? "", address: [:], propertyId: place.propertyID ?? property, unitId: place.unitID)
        if let discovered { try await take(discovered, into: &device, client) }
        for part in address { device.address[part.key] = part.value }
        if let profile { device.address["profile"] = .string(profile) }
        let answer = try await client.devices.attach(device)
        output.print(json: answer.json) { style in
            let lock = answer.content.device
            return style.isForPerson
                ? ["Attached \(lock.name.printable), id \(lock.id.printable)."]
                : ["\(lock.name.printable)\t\(lock.id.printable)"]
        }
    }

    /// What was found of a lock: how to reach it, and who made it.
    private func take(_ id: String, into device: inout Wire.NewDevice, _ client: DoorwardClient) async throws {
        let found = try await client.devices.discovered().all().content
        guard let lock = found.first(where: { $0.id == id }) else {
            throw CommandFailure("no lock `\(id.printable)` waits to be attached; `doorward discovered` lists those that do")
        }
        if let problem = lock.problem, address.isEmpty, profile == nil {
            throw CommandFailure("\(id.printable) cannot be attached as it was found: \(problem.printable)")
        }
        (device.adapter, device.address) = (lock.adapter, lock.address)
        (device.manufacturer, device.model) = (lock.manufacturer, lock.model)
    }
}
