import DoorwardDomain
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("The table of access records") struct RecordTableTests {
    private let at: Doorward.Instant = "2030-01-01T00:00:00.000Z"
    private let pipe = OutputStyle(isTerminal: false, environment: [:])

    private func record(_ kind: String, _ fill: (inout Doorward.AccessRecord) -> Void) -> Doorward.AccessRecord {
        var record = Doorward.AccessRecord(id: "r", at: at, kind: kind)
        fill(&record)
        return record
    }

    private func line(_ record: Doorward.AccessRecord, _ names: RecordNames = RecordNames()) -> String {
        var lines = RecordTable(pipe, names: names)
        return lines.lines([record])[0]
    }

    private func change(
        _ action: String, _ type: String, before: [String: Doorward.JSONValue]? = nil, after: [String: Doorward.JSONValue]? = nil,
        _ fill: (inout Doorward.AccessRecord) -> Void = { _ in }
    ) -> Doorward.AccessRecord {
        record("ADMIN_CHANGE") {
            ($0.actorName, $0.action, $0.targetType, $0.targetId) = ("Olga", action, type, "t-1")
            $0.details = ["before": before.map { .object($0) } ?? .null, "after": after.map { .object($0) } ?? .null]
            fill(&$0)
        }
    }

    @Test("a command, its outcome, a denial, an event and a sign-in each have their own text")
    func kinds() {
        let intent = record("COMMAND_INTENT") {
            ($0.actorName, $0.operation, $0.deviceName, $0.decision) = ("Olga", "UNLOCK", "Front", "ALLOWED")
            $0.rule = Doorward.Rule(kind: "ASSOCIATION", id: "a", role: "PORTFOLIO_ADMIN")
        }
        #expect(line(intent) == "\(at)\tOlga\tunlock\tFront\tallowed as portfolio admin\t-")
        let settings = record("COMMAND_INTENT") {
            ($0.actorName, $0.operation, $0.deviceName, $0.decision) = ("Olga", "CHANGE_SETTINGS", "Front", "ALLOWED")
            $0.details = [
                "before": .object(["autoRelockSeconds": .null]), "after": .object(["autoRelockSeconds": .integer(30)]),
            ]
        }
        #expect(line(settings) == "\(at)\tOlga\tchange settings\tFront\tallowed: auto relock seconds - → 30\t-")
        let outcome = record("COMMAND_OUTCOME") {
            ($0.actor, $0.operation, $0.deviceId, $0.outcome, $0.outcomeDetail) = ("you", "LOCK", "d-1", "FAILED", "low_power")
        }
        #expect(line(outcome) == "\(at)\tyou\tlock\td-1\tfailed: low power\t-")
        let denial = record("DENIAL") {
            ($0.actorKind, $0.operation, $0.deviceName, $0.decision, $0.reason) =
                ("OUTSIDE", "UNLOCK", "Front", "DENIED", "no_association")
        }
        #expect(
            line(denial) == "\(at)\tsomebody without access\tunlock\tFront\tdenied: no role or guest access for this lock\t-")
        let event = record("DEVICE_EVENT") {
            ($0.actorKind, $0.event, $0.deviceName, $0.method) = ("DEVICE", "UNLOCKED", "Front", "KEYPAD")
        }
        #expect(line(event) == "\(at)\tthe lock\tunlocked\tFront\tkeypad\t-")
        #expect(line(record("SESSION") { $0.event = "SIGNED_IN" }) == "\(at)\t-\tsigned in\t-\t-\t-")
        #expect(line(record("FUTURE_KIND") { _ in }) == "\(at)\t-\tfuture kind\t-\t-\t-")
    }

    @Test("the given reason and the reason of an override are shown after the decision")
    func reasons() {
        func intent(_ decision: String, _ reason: String?, _ override: String?) -> String {
            line(
                record("COMMAND_INTENT") {
                    ($0.operation, $0.decision, $0.statedReason) = ("UNLOCK", decision, reason)
                    $0.override = override.map { Doorward.Override(reason: $0) }
                })
        }
        #expect(intent("ALLOWED", "the post", nil) == "\(at)\t-\tunlock\t-\tallowed (reason: the post)\t-")
        #expect(intent("ALLOWED", nil, "fire") == "\(at)\t-\tunlock\t-\tallowed (override: fire)\t-")
        #expect(intent("DENIED", "the post", "fire") == "\(at)\t-\tunlock\t-\tdenied (reason: the post; override: fire)\t-")
    }

    @Test("known names are shown instead of ids")
    func names() {
        var names = RecordNames()
        names.places = ["d-1": "Quay 1 / 1a"]
        names.byKind = [
            .lock: ["d-1": "Front"], .property: ["p": "Quay 2"], .unit: ["u": "2b"], .person: ["gus": "Gus Example"],
        ]
        let reduced = record("COMMAND_INTENT") {
            ($0.actor, $0.operation, $0.deviceId, $0.decision) = ("you", "UNLOCK", "d-1", "ALLOWED")
        }
        #expect(line(reduced, names) == "\(at)\tyou\tunlock\tFront\tallowed\tQuay 1 / 1a")
        let whole = record("COMMAND_OUTCOME") {
            ($0.logId, $0.actorKind, $0.actorId, $0.operation, $0.deviceId) = ("l", "USER", "gus", "LOCK", "d-1")
            ($0.deviceName, $0.propertyId, $0.unitId, $0.outcome) = ("Old front", "p", "u", "CONFIRMED")
        }
        #expect(line(whole, names) == "\(at)\tGus Example\tlock\tOld front\tconfirmed\tQuay 2 / 2b", "names of that time")
        var unassigned = whole
        (unassigned.propertyId, unassigned.unitId) = (nil, nil)
        #expect(line(unassigned, names).hasSuffix("\tconfirmed\t-"), "not the present place of the lock")
    }

    @Test("a change is shown with its target and the changed values")
    func changes() {
        var names = RecordNames()
        names.byKind = [
            .lock: ["d-1": "Front"], .person: ["gus": "Gus Example"], .property: ["p": "Quay 1", "q": "Quay 2"],
            .unit: ["u": "1a"],
        ]
        var gusAccess = Doorward.GuestAccess(id: "t-1")
        (gusAccess.guestUserId, gusAccess.deviceIds) = ("gus", ["d-1"])
        names.guestAccesses["t-1"] = gusAccess
        func shown(_ record: Doorward.AccessRecord) -> [Substring] { Array(line(record, names).split(separator: "\t")[2...4]) }
        let text = { (text: String) in Doorward.JSONValue.string(text) }
        let renamed = change("UPDATE", "Property", before: ["name": text("Quay 1")], after: ["name": text("Quay 2")])
        #expect(shown(renamed) == ["update property", "-", "Quay 2: name Quay 1 → Quay 2"])
        let created = change("CREATE", "Unit", after: ["name": text("1a")])
        #expect(shown(created) == ["create unit", "-", "1a"])
        let switched = change(
            "UPDATE", "LockDevice", before: ["isRemoteOperationEnabled": .bool(true), "address": .array([text("seed")])],
            after: ["isRemoteOperationEnabled": .bool(false), "address": .array([text("seed")])]
        ) { $0.deviceName = "Front" }
        #expect(shown(switched) == ["update lock", "Front", "address, remote operation enabled yes → no"])
        let moved = change(
            "MOVE", "LockDevice", before: ["propertyId": text("p"), "unitId": text("u")],
            after: ["propertyId": text("q"), "unitId": .null]
        ) { $0.deviceName = "Front" }
        #expect(shown(moved) == ["move lock", "Front", "from Quay 1 / 1a to Quay 2"])
        let role = change(
            "ASSIGN", "UserRoleAssociation",
            after: [
                "userId": text("gus"), "associatedEntityType": text("UNIT"), "associatedEntityId": text("u"),
                "roleWithinEntity": text("TENANT"),
            ])
        #expect(shown(role) == ["assign role", "-", "Gus Example: tenant of 1a"])
        let granted = change("GRANT", "GuestAccess", after: ["label": text("Plumber"), "deviceIds": .array([text("d-1")])])
        #expect(shown(granted) == ["grant guest access", "-", "Plumber: Front"])
        #expect(shown(change("REVOKE", "GuestAccess")) == ["revoke guest access", "-", "Gus Example: Front"])
        #expect(shown(change("DELETE", "Portfolio")) == ["delete portfolio", "-", "t-1"], "the id if there is no name")
    }

    @Test("only ids without a name are looked up")
    func references() {
        var references = RecordReferences()
        references.add(
            record("COMMAND_INTENT") {
                ($0.actorKind, $0.actorId, $0.actorName, $0.deviceId, $0.deviceName) = ("USER", "u-1", "Olga", "d-1", "Front")
            })
        #expect(references.isEmpty)
        references.add(record("COMMAND_INTENT") { ($0.actorKind, $0.actorId, $0.deviceId) = ("USER", "u-1", "d-1") })
        references.add(change("REVOKE", "GuestAccess"))
        references.add(change("UPDATE", "Unit", after: ["name": .string("1a")]))
        references.add(
            change(
                "ASSIGN", "UserRoleAssociation",
                after: [
                    "userId": .string("u-2"), "associatedEntityType": .string("PROPERTY"), "associatedEntityId": .string("p-1"),
                ]))
        references.add(change("GRANT", "GuestAccess", after: ["label": .string("x"), "deviceIds": .array([.string("d-2")])]))
        #expect(
            references == [
                .person: ["u-1", "u-2"], .lock: ["d-1", "d-2"], .property: ["p-1"], .guestAccess: ["t-1"],
            ])
    }

    @Test("an empty list prints a sentence on a terminal, and nothing in a pipe or while following")
    func empty() {
        func lines(_ style: OutputStyle, isFollowing: Bool = false) -> [String] {
            var lines = RecordTable(style, isFollowing: isFollowing)
            return lines.lines([], withHeadings: false)
        }
        #expect(lines(pipe).isEmpty)
        let person = OutputStyle(isTerminal: true, environment: [:])
        #expect(lines(person) == ["There are no such records."])
        #expect(lines(person, isFollowing: true).isEmpty)
    }

    @Test(
        "a terminal of 80 columns shows the reason and not the place, and later rows keep the columns",
        arguments: [80, 200])
    func terminal(_ columns: Int) throws {
        let style = OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], columns: columns)
        let now = try Timestamp(rfc3339: "2030-06-01T00:00:00Z")
        var lines = RecordTable(style, isFollowing: true, now: now)
        let records = ["Olga Example", "Bartholomew Longfellow the Elder"].map { name in
            record("COMMAND_INTENT") {
                ($0.actorName, $0.operation, $0.deviceName, $0.decision) = (name, "UNLOCK", "Front door", "ALLOWED")
                ($0.statedReason, $0.propertyId, $0.logId) = ("the post", "p", "l")
            }
        }
        let first = lines.lines([records[0]])
        let later = lines.lines([records[1]], withHeadings: false)
        #expect((first + later).allSatisfy { $0.displayWidth <= columns }, "\(first + later)")
        #expect(first[0].contains("WHERE") == (columns == 200))
        #expect(first[1].contains("Olga Example") && first[1].contains("allowed (reason: the p"))
        #expect(later[0].contains("Bartholomew") && later[0].contains("…"))
        let result = try #require(first[0].firstRange(of: "RESULT")?.lowerBound.utf16Offset(in: first[0]))
        #expect(String(later[0].dropFirst(result)).hasPrefix("allowed"))
    }

    @Test("a line break in a name does not start a new row")
    func hostile() {
        let shown = line(record("SESSION") { ($0.actorName, $0.event) = ("Eve\n2030 Olga\tunlock", "SIGNED_IN") })
        #expect(!shown.contains("\n"))
        #expect(shown.split(separator: "\t", omittingEmptySubsequences: false).count == 6)
    }

    @Test("names that records contain are shown for what was deleted since, after the lists do not have it")
    func deleted() {
        var names = RecordNames()
        let deletion = change("DELETE", "Unit", before: ["name": .string("1B")]) { $0.propertyId = "p" }
        let grant = change("GRANT", "GuestAccess", after: ["guestUserId": .string("gus"), "deviceIds": .array([])])
        for record in [deletion, grant] { names.noteTarget(of: record) }
        names[.person, "gus"] = "Gus Example"
        let revocation = change("REVOKE", "GuestAccess", after: ["revokedAt": .string("\(at)")])
        #expect(line(revocation, names).contains("\trevoke guest access\t-\tGus Example\t"))
        names.fillIn(lookedUp: [.unit: ["t-1"]])
        #expect(names[.unit, "t-1"] == "1B")
    }

    @Test("a lockdown is shown with its state and reason, and an API key and an invitation by name and address")
    func lockdown() {
        func state(_ isActive: Bool) -> [String: Doorward.JSONValue] {
            ["lockdown": .object(["active": .bool(isActive), "reason": isActive ? .string("a drill") : .null])]
        }
        var names = RecordNames()
        names[.property, "t-1"] = "Quay 1"
        let start = change("UPDATE", "Property", before: state(false), after: state(true))
        #expect(line(start, names).contains("\tQuay 1: lockdown off → on (a drill)\t"))
        let key = change("DELETE", "APIKey", before: ["name": .string("Display")])
        #expect(line(key).contains("\tdelete API key\t-\tDisplay\t"))
        let invitation = change("CREATE", "Invitation", after: ["email": .string("eve@example.com")])
        #expect(line(invitation).contains("\tcreate invitation\t-\teve@example.com\t"))
    }
}
