import AdapterMQTT
import DoorwardControl
import DoorwardDomain
import Logging

/// What the MQTT adapter is made of: brokers and profiles, as the configuration and the files that it names have them.
struct MQTTSetup {
    let brokers: [MQTTBroker]
    /// Those of the program and those of the user's folders.
    let library: ProfileLibrary
    /// One sentence for each file of a profile that was left out.
    let profileMistakes: [String]

    /// Reads the files. A profile with a mistake is left out and logged: it keeps no other lock from being opened.
    ///
    /// - Throws: one sentence about a broker that cannot be used as it is configured, or a file or folder that cannot be read.
    init(_ configuration: GatewayConfiguration, random: RandomSource, logger: Logger) throws(CommandFailure) {
        do {
            try self.init(reading: configuration, random, logger)
        } catch {
            throw CommandFailure(error.description)
        }
    }

    private init(
        reading configuration: GatewayConfiguration, _ random: RandomSource, _ logger: Logger
    ) throws(ConfigurationError) {
        library = ProfileLibrary(directories: configuration.profileDirectories)
        for folder in configuration.profileDirectories {
            try ConfiguredFile(path: folder, setting: configuration.origins.subject("profiles.directories")).requireFolder()
        }
        profileMistakes = library.reload()
        for mistake in profileMistakes { logger.error("a profile is left out", metadata: ["mistake": "\(mistake)"]) }
        for id in library.replaced {
            logger.notice("a profile of a folder takes the place of the shipped one", metadata: ["profile": "\(id)"])
        }
        try configuration.checkProfiles(known: library.ids)
        // Another one at each start: two gateways that bear the same name must not throw each other off a broker.
        let digits = random.hexadecimal(byteCount: 7)
        var brokers: [MQTTBroker] = []
        for (number, broker) in configuration.mqtt.enumerated() {
            brokers.append(try MQTTBroker(broker, number: number, configuration.origins, clientID: "doorward-\(digits)"))
        }
        self.brokers = brokers
    }
}
