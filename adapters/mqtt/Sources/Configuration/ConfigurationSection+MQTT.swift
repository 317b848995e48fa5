internal import DoorwardAdapterKit
internal import DoorwardMQTT

extension ConfigurationSection {
    /// The section with the brokers.
    static let mqtt = ConfigurationSection(
        "mqtt", listOf: "brokers",
        [
            ConfigurationKey(
                "name", .hostName, isRequired: true,
                meaning: "the broker's name in addresses of locks: letters, digits, dots, hyphens"),
            ConfigurationKey(
                "url", .brokerAddress, isRequired: true,
                meaning: "`mqtt://HOST[:PORT]` (1883), or with TLS `mqtts://HOST[:PORT]` (8883)"),
            ConfigurationKey(
                "caFile", .file, shownDefault: "the system's",
                meaning: "the one authority that the broker's certificate must come from, a PEM file"),
            ConfigurationKey("certificate", .file, meaning: "the gateway's client certificate for the broker, a PEM file"),
            ConfigurationKey("privateKey", .file, meaning: "that certificate's key, a PEM file"),
            ConfigurationKey("usernameFile", .file, meaning: "a file with the user name, on one line"),
            ConfigurationKey(
                "passwordFile", .secretFile,
                meaning: "a file with the password, on one line; mode 0600, owned by the gateway's user"),
            ConfigurationKey(
                "portfolio", .portfolio,
                meaning:
                    "the id of the portfolio that the broker serves; without it only super admins attach locks of this broker"),
            ConfigurationKey(
                "profiles", .texts, shownDefault: "all",
                meaning:
                    "the profiles that discovery looks for, by their names: those of `doorward profile list` and your own"),
            ConfigurationKey(
                "discovery", .boolean, default: .boolean(false),
                meaning: "whether to discover locks; `doorward discovered` lists them"),
        ])

    /// The section with the folders of the user's own profiles.
    static let profiles = ConfigurationSection(
        "profiles",
        [
            ConfigurationKey(
                "directories", .folders, shownDefault: "none",
                meaning: "folders with profiles of your own, each a `.yaml` or `.yml` file")
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
