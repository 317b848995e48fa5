import DoorwardClient
import Testing

@testable import doorward

@Suite("Which gateway, and as whom") struct ClientAccessTests {
    @Test(
        "the session lies in the folder for configurations",
        arguments: [
            (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/doorward/session.json"),
            (["HOME": "/h"], "/h/.config/doorward/session.json"),
            (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/doorward/session.json"),
            (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/doorward/session.json"),
        ])
    func folder(_ environment: [String: String], _ path: String) throws {
        #expect(try ClientAccess(environment: environment).sessionFile().path == path)
    }

    @Test("without a home there is no place for one")
    func homeless() {
        #expect(throws: CommandFailure.self) { try ClientAccess(environment: [:]).sessionFile() }
    }

    @Test("the environment's token wants the environment's gateway, and empty is as good as absent")
    func environment() throws {
        let home = ["HOME": "/nowhere"]
        func client(_ more: [String: String]) throws -> DoorwardClient {
            try ClientAccess(environment: home.merging(more) { _, new in new }).client()
        }
        #expect(
            try client(["DOORWARD_SERVER": "https://doors.example", "DOORWARD_TOKEN": "t"]).server.description
                == "https://doors.example")
        #expect(throws: CommandFailure.self) { try client(["DOORWARD_TOKEN": "t"]) }
        #expect(throws: ClientError.notSignedIn(server: nil)) { try client(["DOORWARD_TOKEN": "", "DOORWARD_SERVER": ""]) }
        #expect(throws: ClientError.self) { try client(["DOORWARD_SERVER": "http://doors.example", "DOORWARD_TOKEN": "t"]) }
    }
}
