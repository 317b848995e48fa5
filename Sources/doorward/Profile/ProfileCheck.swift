import AdapterMQTT
import ArgumentParser
import DoorwardYAML

/// `doorward profile check`: finds the mistakes in a profile.
struct ProfileCheck: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find the mistakes in a profile.",
        discussion: """
            Every mistake is printed with its line, with exit code 1. docs/profiles.md describes the format of profiles.

            Example: doorward profile check profiles/yale.yaml
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        let mistakes: YAMLErrors?
        do {
            _ = try Profile(path: file)
            mistakes = nil
        } catch {
            mistakes = error
        }
        if output.json || mistakes == nil {
            output.print(json: Array(json(mistakes?.mistakes ?? []).text.utf8)) { _ in ["\(file.printable): no mistakes"] }
        }
        if let mistakes { throw CommandFailure("the profile", mistakes) }
    }

    private func json(_ mistakes: [YAMLErrors.Mistake]) -> JSONObjectText {
        var object = JSONObjectText()
        object.add("file", file)
        object.add(
            "mistakes",
            mistakes.map { mistake in
                var item = JSONObjectText()
                item.add("line", mistake.line)
                item.add("key", mistake.key)
                item.add("message", mistake.message)
                return item
            })
        return object
    }
}
