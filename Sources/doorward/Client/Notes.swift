import ArgumentParser
import DoorwardClient

/// `doorward notes`: shows and changes what is noted about a lock.
struct Notes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or change what is noted about a lock.",
        discussion: """
            Notes are one line of at most 256 characters, such as where the key box is. Managers of the place change them; \
            they and auditors see them, also in `doorward status`. Without TEXT the command prints them.

            Examples:
              doorward notes "Front door"
              doorward notes "Front door" "Key box left of the gate"
              doorward notes "Front door" --clear
            """)

    @OptionGroup var lock: NounArgument<Doorward.LockDevice>

    @Argument(help: ArgumentHelp("The new notes.", valueName: "text"))
    var text: String?

    @Flag(help: "Remove the notes.")
    var clear = false

    @OptionGroup var output: AnswerOptions

    func validate() throws {
        if clear, text != nil { throw ValidationError("--clear cannot be combined with new notes.") }
    }

    func run() async throws {
        let (client, lock) = try await lock.find(at: output.gateway)
        guard clear || text != nil else {
            let answer = try await client.devices.get(lock.id)
            guard Doorward.FieldAccess.canViewField("notes", of: answer.content) else {
                throw CommandFailure("You may not see the notes of \(answer.content.name.printable).")
            }
            return output.print(json: answer.json) { Self.lines(answer.content, $0) }
        }
        let answer = try await namingOptions(["notes": "the text"]) {
            try await client.devices.change(lock.id, ["notes": text])
        }
        output.print(json: answer.json) { Self.changed(answer.content, $0) }
    }

    /// The notes; on a terminal a sentence if there are none.
    static func lines(_ device: Doorward.LockDevice, _ style: OutputStyle) -> [String] {
        if let notes = device.notes { return [notes.printable] }
        return style.isInteractive ? ["Nothing is noted about \(device.name.printable)."] : []
    }

    /// The changed lock: a sentence on a terminal; the name and the notes in a pipe.
    static func changed(_ device: Doorward.LockDevice, _ style: OutputStyle) -> [String] {
        let (name, notes) = (device.name.printable, device.notes?.printable)
        guard style.isInteractive else { return ["\(name)\t\(notes ?? "-")"] }
        return [notes.map { "Noted about \(name): \($0)" } ?? "\(name) has no notes."]
    }
}
