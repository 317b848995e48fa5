import AdapterMQTT
import ArgumentParser

/// `doorward profile show`: one profile, to be read or copied.
struct ProfileShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a profile.",
        discussion: """
            Prints the YAML, from which a profile for another lock can be begun; with --json what an address takes, and what \
            such a lock can do.

            Example: doorward profile show nuki-native > my-nuki.yaml
            """)

    @OptionGroup var named: NamedProfile
    @OptionGroup var output: OutputOptions

    func run() throws {
        let profile = try named.read()
        var object = JSONObjectText()
        object.add("profile", json: ProfileView(profile).json.text)
        var yaml = profile.yaml[...]
        while yaml.last?.isNewline == true { yaml.removeLast() }
        output.print(json: Array(object.text.utf8)) { _ in [String(yaml)] }
    }
}
