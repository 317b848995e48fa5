import AdapterMQTT
import ArgumentParser

/// `doorward profile list`: lists the shipped profiles.
struct ProfileList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the profiles that Doorward comes with.",
        discussion: "Shows the name of each, the parts of an address that it needs, and what it is for.")

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions

    func run() {
        let profiles = ProfileLibrary.shipped.ids.compactMap { ProfileLibrary.shipped[$0] }
        var object = JSONObjectText()
        object.add("profiles", profiles.map { ProfileView($0).json })
        output.print(json: Array(object.text.utf8)) { style in
            var table = Table("NAME", "NEEDS", "FOR", rows: profiles.map(Self.row))
            table.fittings = [.whole, .cut(to: 12), .cut(to: 12)]
            return table.lines(self.table.style(style))
        }
    }

    private static func row(_ profile: Profile) -> [Table.Cell] {
        let needed = profile.variables.filter(\.isRequired).map(\.name).joined(separator: ", ")
        return [Table.Cell(profile.id, .bold), Table.Cell(needed), Table.Cell(profile.description)]
    }
}
