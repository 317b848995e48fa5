package import DoorwardAdapterKit
package import DoorwardDomain
package import Logging

/// What the MQTT adapter is made of: brokers and profiles, as the configuration and the files that it names have them.
package struct MQTTSetup {
    /// The configured brokers, with what their files hold.
    package let brokers: [MQTTBroker]
    /// The profiles of the program and those of the user's folders.
    package let library: ProfileLibrary
    /// One sentence for each file of a profile that was left out: a mistake in it keeps no other lock from being opened.
    package let profileMistakes: [String]

    /// Reads the files.
    ///
    /// - Throws: one sentence about a broker that cannot be used as it is configured, or a file or folder that cannot be read.
    package init(_ configuration: MQTTConfiguration, random: RandomSource) throws(ConfigurationError) {
        library = ProfileLibrary(directories: try configuration.profiles?.readableFolders("directories") ?? [])
        profileMistakes = library.reload()
        try configuration.checkProfiles(known: library.ids)
        // Another one at each start: two gateways that bear the same name must not throw each other off a broker.
        let clientID = "doorward-\(random.hexadecimal(byteCount: 7))"
        var brokers: [MQTTBroker] = []
        for broker in configuration.brokers { brokers.append(try MQTTBroker(broker, clientID: clientID)) }
        self.brokers = brokers
    }

    /// Logs the profiles that were left out, and the shipped ones that are replaced by a file of a folder.
    package func log(to logger: Logger) {
        for mistake in profileMistakes { logger.error("a profile is left out", metadata: ["mistake": "\(mistake)"]) }
        for id in library.replaced {
            logger.notice("a profile of a folder takes the place of the shipped one", metadata: ["profile": "\(id)"])
        }
    }
}
