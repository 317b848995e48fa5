import AdapterSerial
import DoorwardAdapterKit
import DoorwardAdapterTesting
import DoorwardDomain
import Synchronization
import Testing

/// Tests of the section `serial`, which is read as the gateway reads it.
@Suite struct SerialAdapterFactoryTests {
    private func configured(
        _ environment: [String: String], connect: @escaping @Sendable (SerialPort) -> any ByteStream = { _ in Unconnected() }
    ) throws(ConfigurationError) -> (any ConfiguredAdapter)? {
        let factory = SerialAdapterFactory(connect: connect)
        return try factory.configure(AdapterSettings(factory.sections, environment: environment))
    }

    @Test("the adapter connects to the configured port with its speed")
    func made() throws {
        let ports = Mutex<[SerialPort]>([])
        let adapter = try #require(
            try configured(["DOORWARD_SERIAL_PORT": "/dev/ttyUSB0"]) { port in
                ports.withLock { $0.append(port) }
                return Unconnected()
            })
        #expect(adapter.facts.map(\.text) == ["/dev/ttyUSB0, 9600 baud"])
        #expect(ports.withLock { $0 }.isEmpty, "checking a configuration opens no port")
        #expect(try adapter.make(AdapterEnvironment(clock: VirtualClock())).kind == "serial")
        #expect(ports.withLock { $0 }.map(\.path) == ["/dev/ttyUSB0"] && ports.withLock { $0 }.map(\.baudRate) == [9600])
    }

    @Test("without the section there is no adapter")
    func absent() throws { #expect(try configured([:]) == nil, "an optional of a protocol") }

    @Test(
        "an error is one sentence with the key and the allowed values",
        arguments: [
            ("DOORWARD_SERIAL_BAUD_RATE", "9600", "`serial.port` is missing"),
            ("DOORWARD_SERIAL_PORT", "COM1", "`serial.port` must be a device such as /dev/ttyUSB0, not `COM1`"),
            ("DOORWARD_SERIAL_PROT", "x", "this is not a key of the configuration; did you mean DOORWARD_SERIAL_PORT?"),
            ("DOORWARD_SERIAL_BAUD_RATE", "1", "`serial.baudRate` must be a whole number from 1200 to 115200, not `1`"),
        ])
    func mistakes(_ variable: String, _ value: String, _ sentence: String) {
        let error = #expect(throws: ConfigurationError.self) { try configured([variable: value]) }
        #expect(error?.description == "environment variable \(variable): \(sentence)")
    }

    @Test("the factory has the same address keys and the same kind as the adapter")
    func described() {
        let factory = SerialAdapterFactory { _ in Unconnected() }
        let adapter = SerialAdapter(stream: Unconnected(), clock: VirtualClock())
        #expect(factory.addressFields == adapter.addressFields && factory.guide.kind == adapter.kind)
    }
}

/// A port with nothing connected to it.
private struct Unconnected: ByteStream {
    func open(_ onEvent: @escaping @Sendable (ByteStreamEvent) -> Void) {}
    func close() {}
    func write(_ bytes: [UInt8]) throws(ByteStreamError) { throw .disconnected }
}
