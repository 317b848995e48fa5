import AdapterSimulator
import ArgumentParser
import DoorwardAPI
import DoorwardClient

/// `doorward simulate`: makes something happen to a simulated lock.
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make something happen to a simulated lock.",
        discussion: """
            EVENT is one of \(SimulatorEvent.allCases.map(\.rawValue).joined(separator: ", ")). `clear` ends every fault.

            Example: doorward simulate "Front door" jam
            """)

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"))
    var lock: String

    @Argument(help: ArgumentHelp("What is to happen.", valueName: "event"))
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
