import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Records as events of the demo") struct DemoEventTests {
    private func told(_ kind: String, _ fill: (inout Doorward.AccessRecord) -> Void) -> String? {
        var record = Doorward.AccessRecord(id: "r", at: "2030-01-01T00:00:00.000Z", kind: kind)
        (record.deviceName, record.actorName) = ("Front", "Olga")
        fill(&record)
        return DemoEvent(record).map { "\($0.mark.sign) \($0.text)" }
    }

    @Test("a command is shown only by its outcome")
    func commands() {
        #expect(told("COMMAND_INTENT") { $0.operation = "LOCK" } == nil)
        #expect(told("COMMAND_OUTCOME") { ($0.operation, $0.outcome) = ("LOCK", "CONFIRMED") } == "✓ Olga locked Front")
        #expect(told("COMMAND_OUTCOME") { ($0.operation, $0.outcome) = ("UNLATCH", "CONFIRMED") } == "✓ Olga unlatched Front")
        let settings = told("COMMAND_OUTCOME") { ($0.operation, $0.outcome) = ("CHANGE_SETTINGS", "CONFIRMED") }
        #expect(settings == "✓ Olga changed the settings of Front")
        let failed = told("COMMAND_OUTCOME") { ($0.operation, $0.outcome, $0.outcomeDetail) = ("LOCK", "FAILED", "jammed") }
        #expect(failed == "✗ Olga could not lock Front: jammed")
        #expect(
            told("COMMAND_OUTCOME") { ($0.operation, $0.outcome) = ("LOCK", "TIMED_OUT") }
                == "✗ Olga could not lock Front: timed out"
        )
    }

    @Test("a denial shows its reason, and a stranger is not named")
    func denials() {
        let denied = told("DENIAL") { ($0.operation, $0.reason) = ("UNLOCK", "guest_window_ended") }
        #expect(denied == "✗ Olga may not unlock Front: the guest access has expired")
        let outside = told("DENIAL") {
            ($0.actorName, $0.actorKind, $0.operation, $0.reason) = (nil, "OUTSIDE", "UNLOCK", "no_association")
        }
        #expect(outside == "✗ somebody without access may not unlock Front")
    }

    @Test(
        "a lock's event is shown with its method; an opened or closed door is not shown as an event",
        arguments: [
            ("LOCKED", "AUTO", "· Front was locked by itself"), ("UNLOCKED", "MANUAL", "· Front was unlocked from inside"),
            ("UNLOCKED", "KEYPAD", "· Front was unlocked, keypad"), ("UNLATCHED", "UNKNOWN", "· Front was unlatched"),
            ("JAMMED", nil, "! Front is jammed"), ("BATTERY_LOW", nil, "! Front: the battery is low"),
            ("OFFLINE", nil, "! Front is offline"), ("ONLINE", nil, "· Front is online again"),
            ("DOOR_FORCED", nil, "! Front: door forced"),
            ("COMMAND_DELIVERED_LATE", nil, "! Front: a command came late, and may have moved it"), ("DOOR_OPENED", nil, nil),
            ("DOOR_CLOSED", nil, nil),
        ] as [(String, String?, String?)])
    func events(_ event: String, _ method: String?, _ sentence: String?) {
        #expect(told("DEVICE_EVENT") { ($0.event, $0.method) = (event, method) } == sentence)
    }

    @Test("administrative changes are shown, and events of the gateway itself are not")
    func changes() {
        #expect(told("ADMIN_CHANGE") { $0.action = "GRANT" } == "· Olga grants a guest access")
        #expect(told("ADMIN_CHANGE") { ($0.action, $0.targetType) = ("CREATE", "Unit") } == "· Olga: create unit")
        #expect(told("GATEWAY") { $0.event = "START" } == nil)
    }

    @Test("a name in a record cannot contain terminal control characters")
    func hostile() {
        #expect(
            told("ADMIN_CHANGE") { ($0.actorName, $0.action) = ("Eve\u{1B}[2J", "GRANT") } == "· Eve␛[2J grants a guest access")
    }
}
