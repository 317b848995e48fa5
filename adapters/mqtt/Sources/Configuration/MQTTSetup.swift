package import DoorwardAdapterKit
package import DoorwardDomain
package import Logging

/// The brokers and profiles of the MQTT adapter, read from the configuration and the files that it names.
package struct MQTTSetup {
    /// The configured brokers, with the contents of their files.
    package let brokers: [MQTTBroker]
    /// The shipped profiles and those of the user's folders.
    package let library: ProfileLibrary
    /// One sentence for each profile file that was left out because of a mistake. Other profiles are not affected.
    package let profileErrors: [String]

    /// Reads the files that the configuration names.
    ///
    /// - Throws: one sentence about a broker that cannot be used as configured, or a file or folder that cannot be read.
    package init(_ configuration: MQTTConfiguration, random: RandomSource) throws(ConfigurationError) {
        library = ProfileLibrary(directories: try configuration.profiles?.readableFolders("directories") ?? [])
        profileErrors = library.reload()
        try configuration.checkProfiles(known: library.ids)
        // The client id is different at each start: a broker disconnects a client when another one with the same id connects.
        let clientID = "doorward-\(random.hexadecimal(byteCount: 7))"
        var brokers: [MQTTBroker] = []
        for broker in configuration.brokers { brokers.append(try MQTTBroker(broker, clientID: clientID)) }
        self.brokers = brokers
    }

    /// Logs the profiles that were left out, and the shipped ones that are replaced by a file of a folder.
    package func log(to logger: Logger) {
        for mistake in profileErrors { logger.error("a profile is left out", metadata: ["mistake": "\(mistake)"]) }
        for id in library.replaced {
            logger.notice("a profile of a folder replaces the shipped one", metadata: ["profile": "\(id)"])
        }
    }
}
