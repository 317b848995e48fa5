public import DoorwardAdapterKit
internal import DoorwardDomain

/// Creates the adapter from the section `serial` of the gateway's configuration. Without that section the gateway does not use the
/// adapter.
public struct SerialAdapterFactory: Sendable {
    private let connect: @Sendable (SerialPort) -> any ByteStream

    /// - Parameter connect: creates a closed stream for a port.
    public init(connect: @escaping @Sendable (SerialPort) -> any ByteStream) { self.connect = connect }
}

extension SerialAdapterFactory: AdapterFactory {
    public var guide: AdapterGuide {
        AdapterGuide(
            kind: "serial",
            attaching: "locks on a serial line. The keys are lock, its number on the bus, and latch.",
            examples: [#"doorward attach Cellar --adapter serial --property "Quay 1" --address lock=1"#])
    }

    public var addressFields: [AddressField] { SerialAddress.fields }

    public var sections: [ConfigurationSection] {
        [
            ConfigurationSection(
                "serial",
                [
                    ConfigurationKey(
                        "port", .text, isRequired: true, description: "the serial port of the controller: `/dev/ttyUSB0`"),
                    ConfigurationKey(
                        "baudRate", .integer(1200...115_200), default: .integer(9600), description: "the speed of the port"),
                ])
        ]
    }

    public func configure(_ settings: AdapterSettings) throws(ConfigurationError) -> (any ConfiguredAdapter)? {
        guard let section = try settings.section("serial") else { return nil }
        guard let path = section.text("port"), let baudRate = section.integer("baudRate") else { return nil }
        guard path.hasPrefix("/dev/") else {
            throw section.mistake(at: "port", "must be a device such as /dev/ttyUSB0, not `\(path)`")
        }
        return ConfiguredSerialAdapter(port: SerialPort(path: path, baudRate: baudRate), connect: connect)
    }
}

/// A configured serial port.
public struct SerialPort: Hashable, Sendable {
    /// The path of the device, such as `/dev/ttyUSB0`.
    public let path: String
    /// The speed in bits per second.
    public let baudRate: Int
}

private struct ConfiguredSerialAdapter: ConfiguredAdapter {
    let port: SerialPort
    let connect: @Sendable (SerialPort) -> any ByteStream

    var descriptorCount: Int { 1 }

    var facts: [ConfigurationFact] {
        [ConfigurationFact("serial port", "\(port.path), \(port.baudRate) baud", field: "serialPort", .string(port.path))]
    }

    func make(_ environment: AdapterEnvironment) -> any LockAdapter {
        SerialAdapter(stream: connect(port), clock: environment.clock)
    }
}
