import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import AdapterSimulator
@testable import doorward

/// An adapter of which the program has only the factory.
private struct BusFactory: AdapterFactory {
    let guide = AdapterGuide(kind: "bus", attaching: "locks on a bus.")
    let addressFields = [AddressField("lock", .integer(1...9), isRequired: true, description: "The lock's number.")]
    let sections = [
        ConfigurationSection(
            "bus",
            [
                ConfigurationKey("port", .text, isRequired: true, description: "the serial port"),
                ConfigurationKey("baudRate", .integer(1200...115_200), default: .integer(9600), description: "bits per second"),
                ConfigurationKey("certificate", .file, description: "a file"),
            ])
    ]

    func configure(_ settings: AdapterSettings) throws(ConfigurationError) -> (any ConfiguredAdapter)? {
        guard let section = try settings.section("bus") else { return nil }
        if section.text("port") == "none" { throw section.mistake(at: "port", "is no port") }
        return Bus(section: section)
    }

    struct Bus: ConfiguredAdapter {
        let section: SectionSettings

        var descriptorCount: Int { 2 }
        var facts: [ConfigurationFact] {
            [ConfigurationFact("bus", section.text("port") ?? "", field: "busPort", .string(section.text("port") ?? ""))]
        }
        func check() throws(ConfigurationError) -> [String] {
            _ = try section.readableFile("certificate")
            return section.integer("baudRate") == 1200 ? ["the bus is slow"] : []
        }
        func make(_ environment: AdapterEnvironment) -> any LockAdapter { SimulatorAdapter(clock: environment.clock) }
    }
}

@Suite("The configuration of a third-party adapter") struct OtherAdapterTests {
    private let adapters: [any AdapterFactory] = [BusFactory()]
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(_ yaml: String, _ environment: [String: String] = [:]) throws -> GatewayConfiguration {
        let file = try folder.write(yaml, to: "doorward.yaml")
        return try ConfigurationSources(file: file, environment: environment, adapters: adapters).load()
    }

    @Test("its section is read from the file and the environment, and the adapter is made from it")
    func reads() throws {
        let configured = try ConfiguredAdapters(
            load("bus: { port: /dev/ttyS0 }", ["DOORWARD_BUS_BAUD_RATE": "1200"]), adapters)
        #expect(configured.facts == [ConfigurationFact("bus", "/dev/ttyS0", field: "busPort", .string("/dev/ttyS0"))])
        #expect(configured.descriptorCount == 2)
        #expect(try configured.check() == ["the bus is slow"])
        #expect(try configured.make(AdapterEnvironment(clock: VirtualClock())).count == 1)
    }

    @Test("an adapter without a section is not made, if its factory returns none")
    func absent() throws {
        let configured = try ConfiguredAdapters(load("log: {}"), adapters)
        #expect(configured.facts.isEmpty && configured.descriptorCount == 0)
        #expect(try configured.make(AdapterEnvironment(clock: VirtualClock())).isEmpty)
    }

    @Test(
        "an error in its section names key, file and line, like an error in a key of the gateway",
        arguments: [
            ("bus:\n  prot: x\n", ", line 2: `bus.prot` is not a key of the configuration; did you mean `bus.port`?"),
            ("bsu:\n  port: x\n", ", line 1: `bsu` is not a key of the configuration; did you mean `bus`?"),
            ("bus:\n  baudRate: 9600\n", ", line 2: `bus.port` is missing"),
            ("bus:\n  port: none\n", ", line 2: `bus.port` is no port"),
            (
                "bus:\n  port: x\n  baudRate: 3\n",
                ", line 3: `bus.baudRate` must be a whole number from 1200 to 115200, not `3`"
            ),
            ("mqtt: []\n", ", line 1: `mqtt` is not a key of the configuration"),
        ])
    func mistakes(_ yaml: String, _ sentence: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try load(yaml) }
        #expect(error?.description == "\(folder.path)/doorward.yaml\(sentence)")
    }

    @Test("an unreadable file in its section stops the start")
    func files() throws {
        let configured = try ConfiguredAdapters(load("bus:\n  port: x\n  certificate: /no/such\n"), adapters)
        let failure = #expect(throws: ConfigurationError.self) { try configured.check() }
        #expect(
            failure?.description
                == "\(folder.path)/doorward.yaml, line 3: `bus.certificate`: the file `/no/such` cannot be read: "
                + "there is no such file or folder; create it, or correct the path")
    }

    @Test("the table of the page contains its keys, between those of the gateway")
    func page() {
        let table = ConfigurationTable(adapters: adapters)
        #expect(
            table.page.contains(
                "| `bus.baudRate` | `DOORWARD_BUS_BAUD_RATE` | `9600` | 1,200–115,200; bits per second |\n| `bus.c"))
        #expect(table.keys.first?.path == "gateway.name" && table.keys.last?.path == "log.format")
    }

    @Test("the shipped adapters have different kinds and sections, and no section of the gateway")
    func shipped() {
        let sections = ShippedAdapters.all.flatMap { $0.sections.map(\.name) }
        let ofGateway = ConfigurationTable(adapters: []).keys.map { String($0.path.prefix { $0 != "." }) }
        #expect(Set(sections).count == sections.count && Set(sections).isDisjoint(with: ofGateway))
        #expect(Set(ShippedAdapters.kinds).count == ShippedAdapters.all.count)
    }
}
