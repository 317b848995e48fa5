package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardMQTT
package import Logging

/// The settings of the MQTT adapter's sections, validated without reading files.
package struct MQTTConfiguration: Sendable {
    /// The brokers, each with a unique name.
    package let brokers: [Broker]
    /// The folders of the user's own profiles.
    package let profileDirectories: [String]
    let profiles: SectionSettings?

    /// - Throws: the first mistake in keys that depend on each other.
    package init(_ settings: AdapterSettings) throws(ConfigurationError) {
        brokers = try settings.entries("mqtt").map { entry throws(ConfigurationError) in try Broker(entry) }
        profiles = try settings.section("profiles")
        profileDirectories = profiles?.texts("directories") ?? []
    }

    /// One broker.
    package struct Broker: Sendable {
        /// The name by which lock addresses refer to the broker; unique.
        package let name: String
        /// The address of the broker.
        package let address: BrokerAddress
        /// The portfolio whose locks use the broker; `nil` for a broker from which only a super admin attaches locks.
        package let portfolio: PortfolioID?
        /// The profiles that discovery looks for; empty for all.
        package let profiles: [String]
        /// Whether discovery runs.
        package let discovery: Bool
        /// The settings of the entry, for the files that it names.
        let settings: SectionSettings

        fileprivate init(_ entry: SectionSettings) throws(ConfigurationError) {
            guard let url = entry.text("url"), let address = BrokerAddress(url) else {
                throw entry.mistake(at: "url", "is no broker's address")
            }
            (name, self.address, settings) = (entry.text("name") ?? "", address, entry)
            (portfolio, profiles) = (entry.portfolio("portfolio"), entry.texts("profiles"))
            discovery = entry.flag("discovery")
            if !address.isEncrypted,
                let key = ["caFile", "certificate", "privateKey"].first(where: { entry.text($0) != nil })
            {
                throw entry.mistake(
                    at: key, "is a setting of TLS, but `\(entry.path("url"))` begins with mqtt://; write mqtts://")
            }
            try entry.require("privateKey", beside: "certificate")
            try entry.require("certificate", beside: "privateKey")
            try entry.require("usernameFile", beside: "passwordFile")
        }
    }
}

extension MQTTConfiguration: ConfiguredAdapter {
    /// Eight file descriptors for each connection to a broker.
    package var descriptorCount: Int { 8 * brokers.count }

    /// The facts about the brokers and the profile folders.
    package var facts: [ConfigurationFact] {
        [
            ConfigurationFact(
                "brokers", brokers.map { "\($0.name) (\($0.address))" }.joined(separator: ", "), field: "brokers",
                .array(brokers.map { .object(["name": .string($0.name), "url": .string($0.address.description)]) })),
            ConfigurationFact(
                "profiles", profileDirectories.joined(separator: ", "), field: "profileDirectories",
                .array(profileDirectories.map { .string($0) })),
        ]
    }

    /// Reads the files of the brokers and the profiles. A profile with a mistake does not prevent a start.
    package func check() throws(ConfigurationError) -> [String] {
        try MQTTSetup(self, random: RandomSource()).profileErrors.map { "a profile is left out: \($0)" }
    }

    package func make(_ environment: AdapterEnvironment) throws(ConfigurationError) -> any LockAdapter {
        let setup = try MQTTSetup(self, random: environment.random)
        let logger = Logger(label: "doorward")
        setup.log(to: logger)
        return MQTTAdapter(
            brokers: setup.brokers, library: setup.library, clock: environment.clock, random: environment.random,
            logger: logger)
    }
}

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
        brokers = try configuration.brokers.map { broker throws(ConfigurationError) in
            try MQTTBroker(broker, clientID: clientID)
        }
    }

    /// Logs the profiles that were left out, and the shipped ones that are replaced by a file of a folder.
    package func log(to logger: Logger) {
        for mistake in profileErrors { logger.error("a profile is left out", metadata: ["mistake": "\(mistake)"]) }
        for id in library.replaced {
            logger.notice("a profile of a folder replaces the shipped one", metadata: ["profile": "\(id)"])
        }
    }
}

extension ConfigurationSection {
    /// The section with the brokers.
    static let mqtt = ConfigurationSection(
        "mqtt", listOf: "brokers",
        [
            ConfigurationKey(
                "name", .hostName, isRequired: true,
                description: "the broker's name in addresses of locks: letters, digits, dots, hyphens"),
            ConfigurationKey(
                "url", .brokerAddress, isRequired: true,
                description: "`mqtt://HOST[:PORT]` (1883), or with TLS `mqtts://HOST[:PORT]` (8883)"),
            ConfigurationKey(
                "caFile", .file, shownDefault: "the system's",
                description: "the one authority that the broker's certificate must come from, a PEM file"),
            ConfigurationKey("certificate", .file, description: "the gateway's client certificate for the broker, a PEM file"),
            ConfigurationKey("privateKey", .file, description: "that certificate's key, a PEM file"),
            ConfigurationKey("usernameFile", .file, description: "a file with the user name, on one line"),
            ConfigurationKey(
                "passwordFile", .secretFile,
                description: "a file with the password, on one line; mode 0600, owned by the gateway's user"),
            ConfigurationKey(
                "portfolio", .portfolio,
                description:
                    "the id of the portfolio that the broker serves; without it only super admins attach locks of this broker"),
            ConfigurationKey(
                "profiles", .texts, shownDefault: "all",
                description:
                    "the profiles that discovery looks for, by their names: those of `doorward profile list` and your own"),
            ConfigurationKey(
                "discovery", .boolean, default: .boolean(false),
                description: "whether to discover locks; `doorward discovered` lists them"),
        ])

    /// The section with the folders of the user's own profiles.
    static let profiles = ConfigurationSection(
        "profiles",
        [
            ConfigurationKey(
                "directories", .folders, shownDefault: "none",
                description: "folders with profiles of your own, each a `.yaml` or `.yml` file")
        ])
}

extension SettingType {
    /// `mqtt://…` or `mqtts://…`, with only a host and a port.
    fileprivate static let brokerAddress = SettingType.formatted(
        SettingFormat(
            "a broker's address such as mqtt://127.0.0.1:1883 or mqtts://broker.example",
            secretProblem: { text in
                guard text.contains("@") else { return nil }
                return
                    "must not contain a user name or password; write each into a file, and name the files as `usernameFile` and "
                    + "`passwordFile`"
            },
            accepts: { BrokerAddress($0) != nil }))
}

/// Creates the MQTT adapter from the sections `mqtt` and `profiles`.
package struct MQTTAdapterFactory: Sendable {
    package init() {}
}

extension MQTTAdapterFactory: AdapterFactory {
    package var guide: AdapterGuide { .mqtt }
    package var sections: [ConfigurationSection] { [.mqtt, .profiles] }
    package var addressFields: [AddressField] { [.broker(.text), .profile(ProfileLibrary.shipped.ids)] }
    package var hasFurtherAddressFields: Bool { true }

    package func configure(_ settings: AdapterSettings) throws(ConfigurationError) -> (any ConfiguredAdapter)? {
        try MQTTConfiguration(settings)
    }
}
