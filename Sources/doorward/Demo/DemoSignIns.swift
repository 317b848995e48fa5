import DoorwardDomain

/// The sign-ins, links and commands that the demo offers.
struct DemoSignIns: Sendable {
    let house: DemoHouse
    /// The gateway's address: `http://127.0.0.1:8080`.
    let address: String
    /// The password of all users.
    let password: Secret<String>
    /// The program, as the user would type it.
    let program: String
    /// Returns the address that signs in the user with this email address in a browser, once.
    let link: @Sendable (_ email: String) -> String

    /// `doorward`, or the path by which the program was started.
    static var programAsTyped: String {
        let typed = CommandLine.arguments.first ?? "doorward"
        return typed.contains("/") ? typed : "doorward"
    }

    /// Returns the lines at the bottom of the screen.
    func foot(columns: Int) -> [String] {
        login(columns: columns) + [passwordAndConsole(columns: columns), commands(columns: columns)]
    }

    /// The password, and the console's address if it fits on the line.
    private func passwordAndConsole(columns: Int) -> String {
        let password = "password of all: \(password.reveal())"
        let both = "\(password) · browser: \(address)/"
        return both.displayWidth <= columns ? both : password
    }

    /// Returns as many commands as fit on the line, but at least the first.
    private func commands(columns: Int) -> String {
        ["locks", "unlock \(door)", "log --follow"].map { "\(program) \($0)" }.reduce("") { line, command in
            if line.isEmpty { return command }
            let longer = "\(line) · \(command)"
            return longer.displayWidth <= columns ? longer : line
        }
    }

    private func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

    private var door: String { "\"\(house.someDoor.printable)\"" }

    /// Returns all sign-ins, links and commands, for this number of columns.
    func lines(columns: Int) -> [String] {
        [
            "\(house.portfolio): \(house.sites.map(\.name.printable).joined(separator: " and ")). "
                + "\(count(house.flats.count, "flat")), \(count(house.lockNames.count, "simulated lock")).", "",
            "Everybody signs in as NAME@\(DemoHouse.Person.domain), with the password", "  \(password.reveal())",
        ] + people(columns: columns) + ["", "In another terminal:"]
            + login(columns: columns - 2).map { "  \($0)" }
            + ["locks", "unlock \(door)", "log \(door)", "log --follow"].map { "  \(program) \($0)" } + [
                "", "API      \(address)/api/v1", "metrics  \(address)/metrics",
            ]
    }

    /// Returns the links that open the console as each person.
    func browserLines() -> [String] {
        let width = house.people.map(\.signIn.displayWidth).max() ?? 0
        return ["A click signs in, in a browser on this machine, once, within ten minutes:", ""]
            + house.people.map { "  \($0.signIn.padded(to: width + 1)) \(link($0.email))" }
    }

    /// The sign-in command on one line, or with one line per option if it is too long.
    private func login(columns: Int) -> [String] {
        let (command, options) = ("\(program) login", ["--server \(address)", "--email \(house.someone.email)"])
        let line = ([command] + options).joined(separator: " ")
        guard line.displayWidth > columns else { return [line] }
        return ["\(command) \\", "  \(options[0]) \\", "  \(options[1])"]
    }

    /// The sign-in and role of each person, in as many columns as fit.
    private func people(columns: Int) -> [String] {
        let nameWidth = house.people.map(\.signIn.displayWidth).max() ?? 0
        let entries = house.people.map { "  \($0.signIn.padded(to: nameWidth + 1)) \($0.part)" }
        let width = (entries.map(\.displayWidth).max() ?? 0) + 2
        let count = max(1, columns / width)
        let height = (entries.count + count - 1) / count
        return (0..<height).map { row in
            let line = stride(from: row, to: entries.count, by: height).map { entries[$0].padded(to: width) }.joined()
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
