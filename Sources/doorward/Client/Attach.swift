import ArgumentParser
import DoorwardAdapterKit
import DoorwardClient
import DoorwardControl
import FoundationEssentials

/// `doorward attach`: attaches a lock to the gateway.
struct Attach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Attach a lock to a property or unit.",
        discussion: """
            The address says which lock it is, and how the adapter reaches it; each adapter has its own keys. A value \
            is sent as typed, as text; only keys that take a number, true or false, or a list take it as JSON. \
            `doorward adapters ADAPTER` shows the types. KEY:=JSON always sends JSON, as in 'availability:=[{"topic":"a"}]'.

            \(ShippedAdapters.all.map { "\($0.guide.kind): \($0.guide.attaching)" }.joined(separator: "\n\n"))

            A lock that `doorward discovered` lists is attached by its id; other options change or add parts of the address.

            Examples:
            \(ShippedAdapters.all.flatMap(\.guide.examples).flatMap { $0.split(separator: "\n") }.map { "  \($0)" }.joined(separator: "\n"))
              doorward attach Gate --discovered home:zigbee2mqtt:0x00158d0001 --property "Quay 1"
            """)

    private static let adapters = ShippedAdapters.kinds

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

    @OptionGroup var output: AnswerOptions

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
        let client = try output.client()
        let place = try await NameResolver(client).place(property: property, unit: unit)
        var device = Doorward.NewDevice(
            name: name, adapter: adapter ?? "", address: [:], propertyId: place.propertyID ?? property, unitId: place.unitID)
        if let discovered { try await take(discovered, into: &device, client) }
        let fields = ShippedAdapters.all.first { $0.guide.kind == device.adapter }?.addressFields ?? []
        for part in lock.address {
            device.address[part.key] = part.value(for: fields.first { $0.name == part.key }?.form)
        }
        if let profile { device.address["profile"] = .string(profile) }
        let answer = try await namingOptions(
            { _ in nil },
            explain: { [kind = device.adapter] refusal in
                guard !refusal.fields.isEmpty else { return nil }
                let hints = await AddressHints(of: kind, client)
                return refusal.sentence(.error) { option($0, hints) }
            }
        ) { [device] in try await client.devices.create(device) }
        let (name, id) = (answer.content.name, answer.content.id)
        output.print(json: answer.json, sentence: "Attached \(name.printable), id \(id.printable).", values: name, id)
    }

    /// Copies the adapter, address, manufacturer and model of a discovered lock into the request.
    private func take(_ id: String, into device: inout Doorward.NewDevice, _ client: DoorwardClient) async throws {
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
struct AddressHints {
    /// The keys, in the order of the adapter, with their allowed values; no values where these are not known.
    private let keys: [(name: String, values: [String])]
    /// Whether an address can have no other keys.
    private let isComplete: Bool

    /// Reads the keys from `GET /adapters`. For users who may not call it, takes the keys that this program's own adapter has
    /// without a configuration.
    init(of kind: String, _ client: DoorwardClient) async {
        let answer = try? await client.adapters().content
        self.init(of: kind, answer?.first { $0.kind == kind }.map { $0.address.map { ($0.field, $0.values ?? []) } })
    }

    /// - Parameter fields: the keys in the gateway's response; `nil` if there was no response.
    init(of kind: String, _ fields: [(name: String, values: [String])]?) {
        let adapter = ShippedAdapters.all.first { $0.guide.kind == kind }
        keys = fields ?? adapter?.addressFields.map { ($0.name, $0.form.words) } ?? []
        isComplete = adapter.map { !$0.hasFurtherAddressFields } ?? false
    }

    /// Returns the option for messages about a key. If `--address` has no such key, the candidates are the known keys.
    ///
    /// - Parameters:
    ///   - name: the key's own option; `nil` for `--address`.
    ///   - value: the typed value; `nil` if the option was not typed.
    func option(_ name: String? = nil, key: String, value: String?) -> FieldOption {
        let (option, values) = (name ?? "--address \(key)", keys.first { $0.name == key }?.values)
        if let values { return FieldOption(option, value: value, candidates: values) }
        guard name == nil, isComplete, value != nil else { return FieldOption(option, value: value) }
        return FieldOption(option, value: key, candidates: keys.map(\.name))
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

/// One `KEY=VALUE` or `KEY:=JSON` of a lock's address.
struct AddressPart: Equatable, Sendable {
    let key: String
    /// The text after the `=`, as it was typed.
    let text: String
    /// The value of a `KEY:=JSON`; `nil` for a `KEY=VALUE`.
    private let json: Doorward.JSONValue?

    /// - Throws: an error that shows the right form, or names the key whose value is not JSON.
    init(argument: String) throws(ValidationError) {
        guard let (name, text) = Self.split(argument) else { throw ValidationError("write it as KEY=VALUE, as in `name=gate`.") }
        let isJSON = name.hasSuffix(":")
        (key, self.text) = (isJSON ? String(name.dropLast()) : name, text)
        json = isJSON ? Doorward.JSONValue(json: text) : nil
        guard !isJSON || json != nil else {
            throw ValidationError("the value of `\(key.printable)` is not JSON. Write \(key.printable)=VALUE to send it as text.")
        }
    }

    /// Returns the value for a field of an adapter. The text of a `KEY=VALUE` stays text unless the field takes numbers, `true` and
    /// `false`, or lists: a lock may be called `12` or `true`, and a payload may be `{"bolt":"out"}`.
    ///
    /// - Parameter form: the values that the field takes; `nil` for a field that is not known here.
    func value(for form: AddressField.Form?) -> Doorward.JSONValue {
        if let json { return json }
        switch form {
        case .text, .word, nil: return .string(text)
        case .boolean, .integer, .number, .words: return Doorward.JSONValue(json: text) ?? .string(text)
        }
    }

    /// Returns the text before and the text after the first `=`; `nil` if there is no key.
    static func split(_ argument: String) -> (key: String, text: String)? {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0] != ":" else { return nil }
        return (String(parts[0]), String(parts[1]))
    }
}

/// `--address`, shared by all commands that have it.
struct AddressOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Parts of the lock's address; several can follow, and the option can be repeated.", valueName: "key=value"),
        transform: { try AddressPart(argument: $0) })
    var address: [AddressPart] = []

    func validate() throws {
        if let twice = Dictionary(grouping: address.map(\.key), by: \.self).first(where: { $1.count > 1 })?.key {
            throw ValidationError("The address has two values for `\(twice.printable)`.")
        }
    }

    /// Inserts `--address` before each further `KEY=VALUE`: `--address a=1 b=2` becomes `--address a=1 --address b=2`. The parser
    /// can read either single values or all words up to the next option, and arguments may follow the address.
    static func expanded(_ arguments: [String]) -> [String] {
        var (expanded, isAddress, isValueNext): ([String], Bool, Bool) = ([], false, false)
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return expanded + arguments[index...] }
            let isFurther = isAddress && !argument.hasPrefix("-") && AddressPart.split(argument) != nil
            if isFurther, !isValueNext { expanded.append("--address") }
            if !isValueNext { isAddress = argument == "--address" || argument.hasPrefix("--address=") || isFurther }
            isValueNext = argument == "--address" && !isValueNext
            expanded.append(argument)
        }
        return expanded
    }
}

/// `doorward detach`: detaches a lock from the gateway.
struct Detach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Detach a lock: the gateway no longer operates it nor receives its reports.",
        discussion: """
            Queued commands for the lock are denied, and guest accesses to it end. Its records stay in the log, where they can \
            be found by its id.

            Asks for confirmation. Without a terminal it detaches the lock only with --yes.

            Example: doorward detach "Front door"
            """)

    @OptionGroup var lock: NounArgument<Doorward.LockDevice>

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        try Confirmation.requireTerminal(unless: yes, "detach", "detached")
        var (client, lock) = try await lock.find(at: gateway)
        if !yes {
            // Look up the name of a lock that was given by its id, for the confirmation question.
            lock = NameMatch(id: lock.id, name: try await client.devices.get(lock.id).content.name)
            // The guest accesses to the lock that have not ended and are visible to the caller.
            let (accesses, now) = (
                try await client.guestAccesses.list([("deviceId", lock.id)]).all().content, SystemClock().now()
            )
            let count = accesses.count { !GuestAccessView(access: $0, now: now).isOver }
            try Confirmation.ask(Self.question(lock.name, guestAccesses: count), otherwise: "Nothing was detached.")
        }
        try await client.devices.detach(lock.id)
        // Use the id: the name no longer refers to a lock.
        let history = "its history: doorward log \(lock.id.printable)"
        StandardStream.tell("Detached \(lock.name.printable).\n  \(history)", values: lock.name, "detached")
    }

    static func question(_ name: String, guestAccesses count: Int) -> String {
        let ends = count == 0 ? "" : " \(DisplayText.count(count, "guest access")) \(count == 1 ? "ends" : "end") for it."
        return "Detach \(name.printable)?\(ends)"
    }
}
