import AdapterMQTT
import DoorwardControl
import DoorwardDomain
import Logging

/// What the MQTT adapter is made of: brokers and profiles, as the configuration and the files that it names have them.
struct MQTTSetup {
    let brokers: [MQTTBroker]
    /// Those of the program and those of the user's folders.
    let library: ProfileLibrary

    /// Reads the files. A profile with a mistake is left out and logged: it keeps no other lock from being opened.
    ///
    /// - Throws: `CommandFailure` for a broker that cannot be used as it is configured.
    init(_ configuration: GatewayConfiguration, random: RandomSource, logger: Logger) throws {
        library = ProfileLibrary(directories: configuration.profileDirectories)
        for mistake in library.reload() { logger.error("a profile is left out", metadata: ["mistake": "\(mistake)"]) }
        do {
            try configuration.checkProfiles(known: library.ids)
        } catch {
            throw CommandFailure(error.description)
        }
        // Another one at each start: two gateways that bear the same name must not throw each other off a broker.
        let digits = random.bytes(7).map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
        brokers = try configuration.mqtt.map { try MQTTBroker($0, clientID: "doorward-\(digits)") }
    }
}
