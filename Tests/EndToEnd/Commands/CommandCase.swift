import Foundation
import Testing

/// A command line with its expected output in a pipe and on a terminal.
///
/// In its texts `{how}` is replaced by `pipe` or `terminal`, `{server}` by the gateway's address,
/// `{door}` by the id of the front door, `{stranger}` by the id of no person, `{access}` by a guest access that can be revoked,
/// `{log}` by the origin of the portfolio's log, `{linked}` by one that gets a link, `{changed}` by one that can be changed,
/// `{session}` by a session of the keeper that can be ended, `{folder}` by a folder of the suite, and `{config}` by a configuration
/// file in this folder.
struct CommandCase: Sendable, CustomTestStringConvertible {
    /// The user who runs the command. `keeper` is the owner of a portfolio of places and keys that commands change and delete.
    enum Person: Sendable { case owner, admin, keeper, nobody }

    let arguments: [String]
    let person: Person
    /// The input, typed on the terminal or sent through the pipe.
    let input: String
    /// Variables added to the shell's environment; their values can contain placeholders.
    let environment: [String: String]
    let code: Int32
    /// Text expected in the pipe: in the output, or in the errors of a failure.
    let pipe: String
    /// Text expected on the terminal, without colours.
    let terminal: String
    /// Whether the exit code of a failure is the answer to a question, which is printed as the output.
    let isAnswer: Bool
    /// Whether the command runs until Ctrl-C, which is sent after the expected text was read.
    let isEndless: Bool

    /// - Parameter terminal: the text on a terminal, if it differs from the one in a pipe.
    init(
        _ arguments: String..., by person: Person = .owner, input: String = "", environment: [String: String] = [:],
        code: Int32 = 0, pipe: String, terminal: String? = nil, isAnswer: Bool = false, isEndless: Bool = false
    ) {
        (self.arguments, self.person, self.input, self.environment) = (arguments, person, input, environment)
        (self.code, self.pipe, self.terminal) = (code, pipe, terminal ?? pipe)
        (self.isAnswer, self.isEndless) = (isAnswer, isEndless)
    }

    init(
        _ arguments: [String], by person: Person = .owner, environment: [String: String] = [:], code: Int32 = 0, pipe: String
    ) {
        (self.arguments, self.person, self.environment, self.code) = (arguments, person, environment, code)
        (input, self.pipe, terminal, isAnswer, isEndless) = ("", pipe, pipe, false, false)
    }

    var testDescription: String { arguments.joined(separator: " ") }

    /// The destination of a command's output.
    enum Destination: String { case pipe, terminal }

    /// Replaces the placeholders in a text with values of the suite's house.
    static func fill(_ text: String, _ destination: Destination, _ house: DailyHouse) -> String {
        let folder = house.gateway.folder
        let number = destination == .pipe ? 0 : 1
        let access = house.guestAccesses[number]
        let values = [
            "how": destination.rawValue, "server": house.gateway.address, "door": house.doorID, "access": access,
            "stranger": "01a1fd86-0000-7000-8000-000000000000",
            "session": house.sessions[number],
            "linked": house.guestAccesses[number + 2], "changed": house.guestAccesses[number + 4],
            "folder": folder.path, "log": "doorward.local/logs/\(house.house.portfolioID)",
            "config": folder.file("doorward.yaml"),
        ]
        return values.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    /// Files for commands that read files. They are written once, before a command runs: a running one may be reading them.
    static let files = [
        "doorward.yaml": "auth: { passwordCost: 14 }\ngateway: { publicUrl: https://doors.example }\n",
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
        case .keeper: house.keeper
        }
    }
}
