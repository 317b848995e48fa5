import AdapterMQTT
import ArgumentParser

/// `doorward profile show`: prints one profile.
struct ProfileShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a profile.",
        discussion: """
            Prints the YAML, which can be the start of a profile for another lock; with --json the address variables and the \
            capabilities.

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
