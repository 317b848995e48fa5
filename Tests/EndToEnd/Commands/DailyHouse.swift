import Foundation
import Testing

/// One gateway with a house, shared by all tests of a suite. No test stops it or removes anything that other tests need.
struct DailyHouse: Sendable {
    let gateway: RunningGateway
    let house: House
    let owner: Shell
    let admin: Shell
    /// A shell without a sign-in.
    let nobody: Shell
    /// The owner of the portfolio `Yard`, see `Yard`.
    let keeper: Shell
    /// Two sessions of the keeper that can be ended.
    let sessions: [String]
    /// The lock `Front door`.
    let doorID: String
    /// Guest accesses: two that can be revoked, two that get links, and two that can be changed; one of each in a pipe, one on a
    /// terminal.
    let guestAccesses: [String]

    static func make() async throws -> DailyHouse {
        let (gateway, house, owner) = try await ownersShell()
        let door = try await house.lock("Front door", address: #""latencyMs":5"#)
        for name in ["Cellar", "Twin", "twin", "Away pipe", "Away terminal"] {
            _ = try await house.lock(name, address: #""latencyMs":0"#)
        }
        var accesses: [String] = []
        for label in [
            "In a pipe", "On a terminal", "Linked in a pipe", "Linked on a terminal", "Changed in a pipe",
            "Changed on a terminal",
        ] {
            let until = label.hasPrefix("Changed") ? 2031 : 2030
            let granted = try await house.owner.post(
                "/guest-access",
                #"{"label":"\#(label)","deviceIds":["\#(door)"],"operations":["UNLOCK"],"#
                    + #""validFrom":"2026-01-01T00:00:00Z","validUntil":"\#(until)-01-01T00:00:00Z"}"#)
            accesses.append(try #require(granted.data["guestAccess"]["id"].text, "\(granted.body)"))
        }
        // Cause a denial for the cases that list denials.
        #expect(try await gateway.signIn(RunningGateway.adminEmail).post("/devices/\(door)/unlock", "{}").status == 403)
        for (name, arguments) in [
            ("doors.key", ["public-key"]), ("old.note", ["checkpoint"]), ("first.tlog-proof", ["prove", "--seq", "0"]),
            ("early.ndjson", ["export"]),
        ] { try await audit(arguments, by: owner, to: name) }
        _ = try await house.lock("Cupboard", address: #""latencyMs":0"#)
        try await audit(["checkpoint"], by: owner, to: "new.note")
        let admin = try await Shell.signedIn(RunningGateway.adminEmail, on: gateway)
        try await audit(["export", "--log", "gateway"], by: admin, to: "gateway.ndjson")
        try await audit(["export"], by: owner, to: "whole.ndjson")
        try await audit(["export", "--lock", "Front door"], by: owner, to: "one-lock.ndjson")
        try damage("whole.ndjson", in: gateway)
        for (name, text) in CommandCase.files { _ = try gateway.folder.write(text, to: name) }
        let sessions = try await Yard.build(on: gateway)
        return DailyHouse(
            gateway: gateway, house: house, owner: owner, admin: admin, nobody: try Shell(gateway),
            keeper: try await Shell.signedIn(Yard.keeper, on: gateway), sessions: sessions, doorID: door,
            guestAccesses: accesses)
    }

    /// Writes a copy of an export with a changed record, and one that is cut.
    private static func damage(_ name: String, in gateway: RunningGateway) throws {
        let text = try String(contentsOfFile: gateway.folder.file(name), encoding: .utf8)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        _ = try gateway.folder.write(lines[..<2].joined(separator: "\n") + "\n{\"seq\"", to: "cut.ndjson")
        lines[2].replace("\"record\":{\"logId\":\"", with: "\"record\":{\"logId\":\"0")
        _ = try gateway.folder.write(lines.joined(separator: "\n"), to: "changed.ndjson")
    }

    /// Writes what a command of `doorward audit` prints to a file of the gateway's folder.
    private static func audit(_ arguments: [String], by shell: Shell, to name: String) async throws {
        let result = try await shell.run(["audit"] + arguments)
        try #require(result.code == 0, "\(result.errors)")
        _ = try shell.gateway.folder.write(result.output, to: name)
    }
}

/// Makes a `DailyHouse` once for all tests of a suite, and stops its gateway after the last test. Such a suite is `.serialized`, because its
/// tests change the house.
struct InDailyHouse: SuiteTrait, TestScoping {
    @TaskLocal private static var current: DailyHouse?

    /// The house of the running suite.
    static var house: DailyHouse { get throws { try #require(current) } }

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        let house = try await DailyHouse.make()
        try await Self.$current.withValue(house, operation: function)
        #expect(await house.gateway.stop() == 0)
        try await RunningGateway.verifyLogs(in: house.gateway.folder)
    }
}
