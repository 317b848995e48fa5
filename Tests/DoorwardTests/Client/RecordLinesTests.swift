import Testing

@testable import DoorwardAPI
@testable import doorward

@Suite("Records in lines") struct RecordLinesTests {
    private func record(_ kind: String, _ fill: (inout Wire.AccessRecord) -> Void) -> Wire.AccessRecord {
        var record = Wire.AccessRecord(id: "r", at: "2030-01-01T00:00:00.000Z", kind: kind)
        fill(&record)
        return record
    }

    private func line(_ record: Wire.AccessRecord) -> String {
        RecordLines(Style(isTerminal: false, environment: [:])).lines([record])[0]
    }

    @Test("a command, its end, a denial, an event, a change and a sign-in read as what they are")
    func kinds() {
        let at = "2030-01-01T00:00:00.000Z"
        let intent = record("COMMAND_INTENT") {
            ($0.actorName, $0.operation, $0.deviceName, $0.decision) = ("Olga", "UNLOCK", "Front", "ALLOWED")
            $0.rule = Wire.Rule(kind: "ASSOCIATION", id: "a", role: "PORTFOLIO_ADMIN")
        }
        #expect(line(intent) == "\(at)\tOlga\tunlock\tFront\tallowed as portfolio admin")
        let outcome = record("COMMAND_OUTCOME") {
            ($0.actor, $0.operation, $0.deviceId, $0.outcome, $0.outcomeDetail) = ("you", "LOCK", "d-1", "FAILED", "low_power")
        }
        #expect(line(outcome) == "\(at)\tyou\tlock\td-1\tfailed: low power")
        let denial = record("DENIAL") {
            ($0.actorKind, $0.operation, $0.deviceName, $0.decision, $0.reason) =
                ("OUTSIDE", "UNLOCK", "Front", "DENIED", "no_association")
        }
        #expect(line(denial) == "\(at)\tsomebody without access\tunlock\tFront\tdenied: no role or guest access reaches it")
        let event = record("DEVICE_EVENT") {
            ($0.actorKind, $0.event, $0.deviceName, $0.method) = ("DEVICE", "UNLOCKED", "Front", "KEYPAD")
        }
        #expect(line(event) == "\(at)\tthe lock\tunlocked\tFront\tkeypad")
        let change = record("ADMIN_CHANGE") {
            ($0.actorName, $0.action, $0.targetType, $0.targetId) = ("Olga", "REVOKE", "GuestAccess", "g-1")
        }
        #expect(line(change) == "\(at)\tOlga\trevoke guest access\t-\tg-1")
        let attaching = record("ADMIN_CHANGE") { ($0.actorName, $0.action, $0.targetType) = ("Olga", "CREATE", "LockDevice") }
        #expect(line(attaching) == "\(at)\tOlga\tcreate lock\t-\t-")
        #expect(line(record("SESSION") { $0.event = "SIGNED_IN" }) == "\(at)\t-\tsigned in\t-\t-")
        #expect(line(record("FUTURE_KIND") { _ in }) == "\(at)\t-\tfuture kind\t-\t-")
    }

    @Test("nothing is said of nothing in a pipe; a person is told; a follower waits")
    func empty() {
        #expect(RecordLines(Style(isTerminal: false, environment: [:])).lines([]).isEmpty)
        let person = Style(isTerminal: true, environment: [:])
        #expect(RecordLines(person).lines([]) == ["There are no such records."])
        #expect(RecordLines(person, isFollowing: true).lines([], withHeadings: false).isEmpty)
    }

    @Test("a name in a record cannot make another line")
    func hostile() {
        let shown = line(record("SESSION") { ($0.actorName, $0.event) = ("Eve\n2030 Olga\tunlock", "SIGNED_IN") })
        #expect(!shown.contains("\n"))
        #expect(shown.split(separator: "\t", omittingEmptySubsequences: false).count == 5)
    }
}
