import ArgumentParser
import DoorwardDomain
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("A decision as a sentence") struct DecisionViewTests {
    private static let pipe = OutputStyle(isTerminal: false, environment: [:])

    private func sentence(
        _ reason: Doorward.DenialReason?, _ operation: Doorward.Action = .unlock, role: Doorward.Role? = .guest,
        missing: Doorward.Denial.Missing? = nil,
        opensAt: Doorward.Instant? = nil, closesAt: Doorward.Instant? = nil, assumes: String? = nil,
        person: String? = "Gus Guest",
        _ style: OutputStyle = pipe
    ) -> String {
        let rule = role.map { Doorward.Rule(kind: $0 == .guest ? "GUEST_ACCESS" : "ASSOCIATION", id: "r", role: $0) }
        let decision = Doorward.Decision(
            allowed: reason == nil, operation: operation, deviceId: "d", at: "2026-11-21T08:00:00.000Z", rule: rule,
            reason: reason, opensAt: opensAt, closesAt: closesAt, missing: missing, assumes: assumes)
        return decision.sentence(person: person, lock: "Cellar", style)
    }

    @Test("an allowed operation names the rule, and a later time the assumption")
    func allowed() {
        #expect(sentence(nil) == "Gus Guest may unlock Cellar: by a guest access")
        #expect(sentence(nil, "VIEW_STATUS", role: "OWNER", person: nil) == "You may see the status of Cellar: as owner")
        #expect(
            sentence(nil, role: "TENANT", assumes: "current_rules")
                == "Gus Guest may unlock Cellar at 2026-11-21T08:00:00.000Z: as tenant (if the rights do not change until then)")
    }

    @Test("a denial names the reason, and what would have to change")
    func denied() {
        let opens: Doorward.Instant = "2026-11-23T08:00:00.000Z"
        #expect(
            sentence("outside_schedule", opensAt: opens)
                == "Gus Guest may not unlock Cellar: outside the hours of the guest access; opens \(opens)")
        #expect(
            sentence("guest_window_ended", closesAt: opens)
                == "Gus Guest may not unlock Cellar: the guest access has expired; ended \(opens); needs a new guest access")
        #expect(
            sentence("role_insufficient", "LOCKDOWN", role: "TENANT", missing: .init(role: "PROPERTY_MANAGER"))
                == "Gus Guest may not lock down the property of Cellar: the role does not allow it; "
                + "needs the role property manager or a higher one")
        #expect(
            sentence("operation_not_granted", "UNLATCH", missing: .init(operation: "UNLATCH"))
                == "Gus Guest may not unlatch Cellar: the guest access does not allow it; "
                + "needs a guest access that includes unlatch")
        #expect(
            sentence("capability_missing", "UNLATCH", missing: .init(capability: "UNLATCH"))
                == "Gus Guest may not unlatch Cellar: the lock does not support it; the lock has no unlatch")
        #expect(sentence("feature_unavailable", missing: .init(module: "guestAccess")).hasSuffix("in the subscription"))
    }

    @Test(
        "every reason of the gateway has a sentence of its own, with what would have to change", arguments: DenialReason.allCases)
    func everyReason(_ reason: DenialReason) {
        let text = sentence(
            .init(rawValue: reason.rawValue),
            missing: .init(role: "TENANT", operation: "UNLOCK", capability: "UNLATCH", module: "guestAccess"),
            opensAt: "2026-11-23T08:00:00.000Z")
        #expect(text.hasPrefix("Gus Guest may not unlock Cellar: ") && !text.contains("_"))
        // An account or lock that does not exist has nothing to change.
        #expect(text.contains(";") || [.userUnknown, .deviceUnknown].contains(reason), "\(text)")
    }

    @Test("on a terminal a time has the day of the week and the zone")
    func localTime() {
        let style = OutputStyle(isTerminal: true, environment: [:])
        let text = sentence("guest_window_not_started", opensAt: "2026-11-23T08:00:00.000Z", style)
        #expect(text.contains(#/opens (Sun|Mon) 2026-11-2[23] [0-9]{2}:[0-9]{2} \([A-Z0-9+-]+\)$/#), "\(text)")
        #expect(
            style.zonedInstant("2026-11-23T08:00:05.000Z").contains(#/:[0-9]{2}:05 \(/#), "seconds are shown if there are any")
    }

    @Test(
        "operations are accepted in lower and upper case, with hyphens or underscores",
        arguments: ["view-status", "VIEW_STATUS", "View Status"])
    func operations(_ text: String) { #expect(LockOperation(argument: text) == .viewStatus) }

    @Test("every operation has a value and a verb, and another word is wrong usage")
    func allOperations() throws {
        let accepted = LockOperation.allValueStrings.compactMap { LockOperation(argument: $0) }
        #expect(accepted == LockOperation.allCases)
        for operation in LockOperation.allCases {
            #expect(!Doorward.Action(rawValue: operation.rawValue).verb.contains("_"))
        }
        let arguments = ["can", "me", "open", "Cellar"]
        let error = try #require(throws: (any Error).self) { _ = try DoorwardCommand.parseAsRoot(arguments) }
        let exit = Exit(of: error, arguments: arguments)
        #expect(exit.code == 2 && exit.message.contains("unlatch"), "\(exit.message)")
    }

    @Test("a denial ends the program with 1 and without a message, as the sentence is the output")
    func exitCode() {
        #expect(Exit(of: ExitCode.failure).code == 1 && Exit(of: ExitCode.failure).message.isEmpty)
    }

    @Test("who-can prints a row for each entry, with - for what is not known")
    func table() {
        let entries = [
            Doorward.PermittedPrincipal(
                principal: .init(kind: "GUEST_LINK", id: "g", name: "Plumber"),
                rule: .init(kind: "GUEST_ACCESS", id: "g", role: "GUEST"), until: "2026-11-23T08:00:00.000Z"),
            Doorward.PermittedPrincipal(
                principal: .init(kind: "USER", id: nil, name: "staff"), rule: .init(kind: "ASSOCIATION", id: nil, role: "OWNER"),
                until: nil),
        ]
        let lines = WhoCan.table(entries, Self.pipe, now: Timestamp(milliseconds: 0)).lines(Self.pipe)
        #expect(
            lines == ["Plumber\tguest link\tguest\t2026-11-23T08:00:00.000Z\tg", "staff\tuser\towner\t-\t-"])
        var narrow = OutputStyle(isTerminal: true, environment: ["TERM": "dumb"])
        narrow.columns = 80
        let long = WhoCan.table(
            [
                Doorward.PermittedPrincipal(
                    principal: .init(
                        kind: "USER", id: "019ab1fd-8600-7000-8000-000000000000",
                        name: "Maximiliana Featherstonehaugh-Cholmondeley"),
                    rule: .init(kind: "ASSOCIATION", id: "a", role: "PROPERTY_MANAGER"), until: "2026-11-23T08:00:00.000Z")
            ], narrow, now: Timestamp(milliseconds: 1_800_000_000_000)
        ).lines(narrow)
        #expect(long.allSatisfy { $0.count <= 80 }, "\(long)")
    }
}
