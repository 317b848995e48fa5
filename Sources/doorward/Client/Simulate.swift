import AdapterSimulator
import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward simulate`: makes something happen to a simulated lock.
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make something happen to a simulated lock.",
        discussion: """
            Example: doorward simulate "Front door" jam

            EVENT is one of:
            \(events)
            """)

    /// Each on a line of its own, with what happens.
    private static var events: String {
        let width = SimulatorEvent.allCases.map(\.rawValue.displayWidth).max() ?? 0
        return SimulatorEvent.allCases.map { "  \($0.rawValue.padded(to: width))  \($0.summary)" }.joined(separator: "\n")
    }

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String

    @Argument(
        help: ArgumentHelp("What is to happen.", valueName: "event"),
        completion: .list(SimulatorEvent.allCases.map(\.rawValue)))
    var event: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let client = try ClientAccess().client()
        let lock = try await Finder(client).lock(lock)
        let answer = try await client.simulator.trigger(event.replacing("-", with: "_"), on: lock.id)
        let device = answer.content.device
        output.print(json: answer.json) { style in
            let view = LockView(device)
            guard style.isForPerson else { return Table("", "", rows: [[Table.Cell(device.name), view.state]]).lines(style) }
            return ["\(device.name.printable) is \(style.paint(view.state.text, view.state.colour))."]
        }
    }
}
