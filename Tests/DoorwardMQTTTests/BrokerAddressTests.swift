import DoorwardMQTT
import Testing

@Suite("Addresses of brokers") struct BrokerAddressTests {
    @Test(
        "host and port are read, with the scheme's default port",
        arguments: [
            ("mqtt://127.0.0.1:1884", "127.0.0.1", 1884, false), ("mqtt://broker.example", "broker.example", 1883, false),
            ("mqtts://broker.example", "broker.example", 8883, true), ("mqtts://broker:1/", "broker", 1, true),
            ("mqtt://[::1]:1883", "::1", 1883, false), ("mqtt://[fd00::1]", "fd00::1", 1883, false),
        ])
    func reads(_ text: String, _ host: String, _ port: Int, _ isEncrypted: Bool) throws {
        let address = try #require(BrokerAddress(text))
        #expect(address.host == host && address.port == port && address.isEncrypted == isEncrypted)
    }

    @Test(
        "a text that is not a plain MQTT broker address is rejected",
        arguments: [
            "", "broker", "127.0.0.1:1883", "http://broker", "ws://broker", "MQTT broker", "mqtt://", "mqtt://broker/topic",
            "mqtt://broker?clean=1", "mqtt://broker#one", "mqtt://me@broker", "mqtt://me:secret@broker", "mqtt://broker:0",
            "mqtt://broker:65536", "mqtt://broker:x",
        ])
    func refuses(_ text: String) {
        #expect(BrokerAddress(text) == nil)
    }
}
