import ArgumentParser
import DoorwardAPI
import DoorwardAdapterKit
import DoorwardClient

/// `doorward attach`: attaches a lock to the gateway.
struct Attach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Attach a lock to a property or unit.",
        discussion: """
            The address tells the adapter which lock it is, and how to reach it; each adapter has keys of its own. A value \
            is sent as typed, as text; only keys that take a number, true or false, or a list take it as JSON. \
            `doorward adapters ADAPTER` shows the types. KEY:=JSON always sends JSON, as in 'availability:=[{"topic":"a"}]'.

            \(ShippedAdapters.all.map { "\($0.guide.kind): \($0.guide.attaching)" }.joined(separator: "\n\n"))

            A lock that `doorward discovered` lists is attached by its id; other options change or add parts of the address.

            Examples:
            \(ShippedAdapters.all.flatMap(\.guide.examples).map(indented).joined(separator: "\n"))
              doorward attach Gate --discovered home:zigbee2mqtt:0x00158d0001 --property "Quay 1"
            """)

    private static let adapters = ShippedAdapters.kinds

    private static func indented(_ example: String) -> String {
        example.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    }

    @Argument(help: ArgumentHelp("The name of the lock.", valueName: "name"))
    var name: String

    @Option(
        help: ArgumentHelp("The kind of lock: \(Self.adapters.joined(separator: " or ")).", valueName: "adapter"),
        completion: .list(Self.adapters))
    var adapter: String?

    @Option(help: ArgumentHelp("A lock that was found, by its id in `doorward discovered`.", valueName: "id"))
    var discovered: String?

    @Option(help: ArgumentHelp("The lock's dialect, for an adapter that supports several.", valueName: "profile"))
    var profile: String?

    @OptionGroup var lock: AddressOptions

    @Option(
        help: ArgumentHelp("The property that it is attached to: a name or id.", valueName: "property"),
        completion: .propertyName)
    var property: String

    @Option(help: ArgumentHelp("The unit that it belongs to: a name or id.", valueName: "unit"))
    var unit: String?

    @OptionGroup var output: OutputOptions
    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        if (adapter == nil) == (discovered == nil) {
            throw ValidationError("Give --adapter and the address, or --discovered with the id of a lock that was found.")
        }
        if profile != nil, lock.address.contains(where: { $0.key == "profile" }) {
            throw ValidationError("The address has two values for `profile`.")
        }
        guard let adapter, !Self.adapters.contains(adapter) else { return }
        throw ValidationError(
            NameMatch.missing(
                adapter, of: Self.adapters, noun: "adapter",
                otherwise: "The adapters are \(Self.adapters.joined(separator: ", "))."))
    }

    func run() async throws {
        let client = try gateway.client()
        let place = try await NameResolver(client).place(property: property, unit: unit)
        var device = Wire.NewDevice(
            name: name, adapter: adapter ?? "", address: [:], propertyId: place.propertyID ?? property, unitId: place.unitID)
        if let discovered { try await take(discovered, into: &device, client) }
        let fields = ShippedAdapters.all.first { $0.guide.kind == device.adapter }?.addressFields ?? []
        for part in lock.address {
            device.address[part.key] = part.value(for: fields.first { $0.name == part.key }?.form)
        }
        if let profile { device.address["profile"] = .string(profile) }
        let answer = try await attach(device, client)
        output.print(json: answer.json) { style in
            let lock = answer.content.device
            return style.isInteractive
                ? ["Attached \(lock.name.printable), id \(lock.id.printable)."]
                : ["\(lock.name.printable)\t\(lock.id.printable)"]
        }
    }

    /// Copies the adapter, address, manufacturer and model of a discovered lock into the request.
    private func take(_ id: String, into device: inout Wire.NewDevice, _ client: DoorwardClient) async throws {
        let found = try await client.devices.discovered().all().content
        let meant = try NameMatch.one(
            id, of: found.map { NameMatch(id: $0.id, name: $0.id, place: $0.name) }, noun: "discovered lock",
            listing: "`doorward discovered` lists the locks that can be attached.")
        guard let found = found.first(where: { $0.id == meant.id }) else { return }
        if let problem = found.problem, lock.address.isEmpty, profile == nil {
            throw CommandFailure("\(found.id.printable) cannot be attached as it was found: \(problem.printable)")
        }
        (device.adapter, device.address) = (found.adapter, found.address)
        (device.manufacturer, device.model) = (found.manufacturer, found.model)
    }

    /// - Throws: a failure that names the rejected fields by their command-line options.
    private func attach(_ device: Wire.NewDevice, _ client: DoorwardClient) async throws -> Response<Wire.DeviceAnswer> {
        do {
            return try await client.devices.attach(device)
        } catch ClientError.refused(let refusal) where !refusal.fields.isEmpty {
            let hints = await AddressHints(of: device.adapter, client)
            throw CommandFailure(RefusalWords(refusal, style: .error) { option($0, hints) }.text)
        }
    }

    /// Maps a field of the request to its command-line option.
    private func option(_ field: String, _ hints: AddressHints) -> FieldOption? {
        switch field {
        case "name": return FieldOption("the name")
        case "adapter": return FieldOption("--adapter", value: adapter, candidates: Self.adapters)
        case "propertyId": return FieldOption("--property", value: property)
        case "unitId": return FieldOption("--unit", value: unit)
        case "address": return FieldOption("--address")
        default:
            guard field.hasPrefix("address.") else { return nil }
            let key = String(field.dropFirst("address.".count))
            if key == "profile", profile != nil { return hints.option("--profile", key: key, value: profile) }
            return hints.option(key: key, value: lock.address.first { $0.key == key }?.text)
        }
    }
}

/// The known keys of an adapter's addresses, and their known values, for messages about a wrong address.
struct AddressHints: Equatable, Sendable {
    /// The keys, in the order of the adapter.
    private let names: [String]
    /// The allowed values by key; empty for a key whose allowed values are not known.
    private let values: [String: [String]]
    /// Whether an address can have no other keys.
    private let isComplete: Bool

    /// Reads the keys from `GET /adapters`. For users who may not call it, takes the keys that this program's own adapter has
    /// without a configuration.
    init(of kind: String, _ client: DoorwardClient) async {
        let answer = try? await client.adapters.list().content
        self.init(of: kind, answer?.adapters.first { $0.kind == kind }.map { $0.address.map { ($0.field, $0.values ?? []) } })
    }

    /// - Parameter fields: the keys in the gateway's response; `nil` if there was no response.
    init(
        of kind: String, _ fields: [(name: String, values: [String])]?, adapters: [any AdapterFactory] = ShippedAdapters.all
    ) {
        let adapter = adapters.first { $0.guide.kind == kind }
        let known: [(name: String, values: [String])] = fields ?? adapter?.addressFields.map { ($0.name, $0.form.words) } ?? []
        names = known.map(\.name)
        values = Dictionary(known) { first, _ in first }
        isComplete = adapter.map { !$0.hasFurtherAddressFields } ?? false
    }

    /// Returns the option for messages about a key that has its own option.
    ///
    /// - Parameter value: the typed value; `nil` if the option was not typed.
    func option(_ name: String, key: String, value: String?) -> FieldOption {
        FieldOption(name, value: value, candidates: values[key] ?? [])
    }

    /// Returns the option for messages about a key of `--address`. If there is no such key, the candidates are the known keys.
    func option(key: String, value: String?) -> FieldOption {
        guard isComplete, value != nil, values[key] == nil else { return option("--address \(key)", key: key, value: value) }
        return FieldOption("--address \(key)", value: key, candidates: names)
    }
}

extension AddressField.Form {
    /// The allowed values, if only certain values are allowed.
    fileprivate var words: [String] {
        switch self {
        case .word(let words), .words(let words): words
        case .text, .boolean, .integer, .number: []
        }
    }
}
