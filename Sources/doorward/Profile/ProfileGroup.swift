import ArgumentParser

/// `doorward profile`: commands for MQTT profiles, which need neither a broker nor a gateway.
struct ProfileGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Show the profiles of MQTT locks, and test new ones.",
        discussion: """
            A profile describes a kind of locks: their topics, and the meaning of their messages. PROFILE is the name of one that \
            Doorward comes with, or the path of a YAML file. None of these commands needs a broker or a gateway.
            """,
        subcommands: [ProfileList.self, ProfileShow.self, ProfileDecode.self, ProfileEncode.self, ProfileCheck.self])
}
