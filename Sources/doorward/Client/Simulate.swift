import AdapterSimulator
import ArgumentParser
import DoorwardClient
import DoorwardDomain

/// `doorward simulate`: triggers an event at a simulated lock.
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Trigger an event at a simulated lock.",
        discussion: """
            Example: doorward simulate "Front door" jam

            EVENT is one of:
            \(events)
            """)

    /// Each event on its own line, with its description.
    private static var events: String {
        let width = SimulatorEvent.allCases.map(\.rawValue.displayWidth).max() ?? 0
        return SimulatorEvent.allCases.map { "  \($0.rawValue.padded(to: width))  \($0.summary)" }.joined(separator: "\n")
    }

    @OptionGroup var lock: NounArgument<Doorward.LockDevice>

    @Argument(
        help: ArgumentHelp("The event to trigger.", valueName: "event"),
        completion: .list(SimulatorEvent.allCases.map(\.rawValue)))
    var event: String

    @OptionGroup var output: AnswerOptions

    /// The event's API name: hyphens are accepted in place of underscores.
    private var word: String { event.replacing("-", with: "_") }

    func validate() throws {
        let words = SimulatorEvent.allCases.map(\.rawValue)
        guard !words.contains(word) else { return }
        let hint = nearestName(to: word, among: words).map { " Did you mean `\($0)`?" } ?? ""
        throw ValidationError("`\(event.printable)` is not an event.\(hint) There are: \(words.joined(separator: ", ")).")
    }

    func run() async throws {
        let (client, lock) = try await lock.find(at: output.gateway)
        let answer = try await client.trigger(word, on: lock.id)
        let device = answer.content
        output.print(json: answer.json) { style in
            let view = LockView(device)
            guard style.isInteractive else { return Table("", "", rows: [[Table.Cell(device.name), view.state]]).lines(style) }
            return ["\(device.name.printable) is \(style.paint(view.state.text, view.state.colour))."]
        }
    }
}
