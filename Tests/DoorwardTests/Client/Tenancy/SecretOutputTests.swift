import ArgumentParser
import FoundationEssentials
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Links and secrets that are printed once") struct SecretOutputTests {
    private let pipe = OutputStyle(isTerminal: false, environment: [:])
    private let terminal = OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"])
    private static let time: Doorward.Instant = "2030-01-01T00:00:00.000Z"

    @Test("an invitation prints its link and expiry in a pipe, and a sentence with the link on a terminal")
    func invitation() {
        let invitation = Doorward.Invitation(
            id: "i", email: "tom@doors.example", role: "TENANT", token: "k", url: "https://doors.example/invitation#token=k",
            expiresAt: Self.time)
        let purpose = "can become tenant of 1A\u{1B}"
        #expect(invitation.lines(purpose: purpose, pipe) == ["https://doors.example/invitation#token=k\t\(Self.time)"])
        let lines = invitation.lines(purpose: purpose, terminal)
        #expect(lines[0].hasPrefix("tom@doors.example can become tenant of 1A\u{241B}, once and until "))
        #expect(lines[1] == "  https://doors.example/invitation#token=k" && lines.count == 3)
    }

    @Test("a new key is its name, id and secret in a pipe, and its secret alone on a line on a terminal")
    func key() throws {
        let text =
            #"{"apiKey":{"id":"k","name":"display","entityType":"PROPERTY","entityId":"p","role":"AUDITOR","userId":"u","#
            + #""createdAt":"\#(Self.time)","expiresAt":"\#(Self.time)"},"secret":"dw_secret"}"#
        let answer = try JSONDecoder().decode(Doorward.IssuedAPIKey.self, from: Data(text.utf8))
        #expect(KeyCreate.lines(answer, entity: "Quay 1", pipe) == ["display\tk\tdw_secret"])
        let lines = KeyCreate.lines(answer, entity: "Quay 1", terminal)
        #expect(lines[0].hasPrefix("Created API key display, auditor of Quay 1 until ") && lines[1] == "  dw_secret")
    }

    @Test(
        "a command that deletes is wrong usage without its object, and `me` cannot be deleted",
        arguments: [
            ["portfolio", "delete"], ["property", "delete"], ["unit", "delete"], ["user", "delete"], ["user", "delete", "me"],
            ["key", "delete"], ["role", "remove", "tom"], ["session", "end"], ["user", "rename", "tom"],
            ["invite", "tom@doors.example", "tenant"], ["invite", "tom@doors.example", "guest", "1A"],
            ["role", "add", "tom", "landlord", "1A"], ["key", "create", "display", "guest", "1A"], ["unit", "create", "1A"],
            ["property", "create", "Quay 1"], ["user", "create", "tom@doors.example", "--last-name", "Tenant"],
        ])
    func usage(_ arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try DoorwardCommand.parseAsRoot(arguments) }
        if let error { #expect(DoorwardCommand.exitCode(for: error) == .validationFailure) }
    }
}
