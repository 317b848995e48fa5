import ArgumentParser

/// `doorward profile`: the ways in which MQTT locks speak, without a broker and without a gateway.
struct ProfileGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Look at the ways in which MQTT locks speak, and try out new ones.",
        discussion: """
            A profile describes a make of locks: their topics, and what their words mean. PROFILE is the name of one that \
            Doorward comes with, or the path of a YAML file. None of these commands needs a broker or a gateway.
            """,
        subcommands: [ProfileList.self, ProfileShow.self, ProfileDecode.self, ProfileEncode.self, ProfileCheck.self])
}
