import Foundation
import Testing

/// A command as somebody types it, and what comes of it in a pipe and on a terminal.
///
/// In its texts `{how}` stands for `pipe` or `terminal`, `{server}` for the gateway's address, `{door}` for the id of the front
/// door, `{access}` for a guest access that can be revoked, `{folder}` for a folder of the suite, and `{config}` for a
/// configuration in it.
struct CommandCase: Sendable, CustomTestStringConvertible {
    /// Who types it.
    enum Person: Sendable { case owner, admin, nobody }

    let arguments: [String]
    let person: Person
    /// What is typed into it, or comes through the pipe.
    let input: String
    /// Beside that of the shell.
    let environment: [String: String]
    let code: Int32
    /// What is read at the other end of the pipe, output or error.
    let pipe: String
    /// What is seen on the terminal, without colours.
    let terminal: String
    /// Whether it goes on until Ctrl-C, which is typed once that text was seen.
    let isEndless: Bool

    /// - Parameter terminal: if it is not the same as in the pipe.
    init(
        _ arguments: String..., by person: Person = .owner, input: String = "", environment: [String: String] = [:],
        code: Int32 = 0, pipe: String, terminal: String? = nil, isEndless: Bool = false
    ) {
        (self.arguments, self.person, self.input, self.environment) = (arguments, person, input, environment)
        (self.code, self.pipe, self.terminal, self.isEndless) = (code, pipe, terminal ?? pipe, isEndless)
    }

    var testDescription: String { arguments.joined(separator: " ") }

    /// Where a command's output goes.
    enum Destination: String { case pipe, terminal }

    /// A text of this case, for the suite's house.
    static func fill(_ text: String, _ destination: Destination, _ house: DailyHouse) throws -> String {
        let folder = house.gateway.folder
        let access = house.guestAccesses[destination == .pipe ? 0 : 1]
        let values = [
            "how": destination.rawValue, "server": house.gateway.address, "door": house.doorID, "access": access,
            "folder": folder.path,
            "config": try folder.write(
                "auth: { passwordCost: 14 }\ngateway: { publicUrl: https://doors.example }\n", to: "doorward.yaml"),
        ]
        for (name, text) in files { _ = try folder.write(text, to: name) }
        return values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    /// What lies in the suite's folder for commands that read files.
    private static let files = [
        "heard": "nuki/398172F4/lockAction 2\nnuki/398172F4/commandResponse 66\n", "locked": "1", "code": "0042\n",
        "names": #"{"firstName":"Olga"}"#,
        "house.yaml": "locks: [Flat 9]\nresidents: [{ name: Ada, door: Flat 9 }]\n",
        "bad.yaml": "profile: bad\ncomands: {}\n",
        "good.yaml": """
        profile: good
        state: { topic: good/state, map: { LOCKED: locked, UNLOCKED: unlocked } }
        commands: { lock: { topic: good/set, payload: LOCK } }

        """,
    ]

    func shell(in house: DailyHouse) -> Shell {
        switch person {
        case .owner: house.owner
        case .admin: house.admin
        case .nobody: house.nobody
        }
    }
}
