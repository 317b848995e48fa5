import DoorwardClient
import Testing

@testable import DoorwardAPI
@testable import doorward

@Suite("Following locks") struct LocksFollowerTests {
    private func entry(_ id: String, _ state: String = "LOCKED", lastSeen: String? = nil) -> Devices.Entry {
        var lock = Wire.Device(id: id, name: "Door \(id)")
        (lock.state, lock.lastSeen) = (state, lastSeen)
        let json = #"{"devices":[{"id":"\#(id)"}]}"#
        return Response(content: [lock], json: Array(json.utf8)).entries[0]
    }

    @Test("the first list reports all locks, later ones only changed locks; a new lastSeen is not a change")
    func changes() {
        var changes = LockChanges()
        #expect(changes.take([entry("a"), entry("b")]).changed.map(\.lock.id) == ["a", "b"])
        #expect(changes.take([entry("a"), entry("b")]).isEmpty)
        #expect(changes.take([entry("a", lastSeen: "2030-01-01T00:00:00Z"), entry("b")]).isEmpty)
        #expect(changes.take([entry("a"), entry("b", "UNLOCKED")]).changed.map(\.lock.id) == ["b"])
        #expect(changes.take([entry("c"), entry("a"), entry("b", "UNLOCKED")]).changed.map(\.lock.id) == ["c"])
    }

    @Test("a lock is removed after it is missing from two lists, and duplicates in a list are ignored")
    func removal() {
        var changes = LockChanges()
        _ = changes.take([entry("a"), entry("b")])
        #expect(changes.take([entry("b")]).isEmpty)
        #expect(changes.take([entry("b"), entry("a"), entry("b")]).isEmpty, "it was missing from one list only")
        #expect(changes.take([entry("b")]).isEmpty)
        #expect(changes.take([entry("b")]).removed.map(\.id) == ["a"])
        #expect(changes.take([entry("b")]).isEmpty)
        #expect(changes.take([entry("b"), entry("a")]).changed.map(\.lock.id) == ["a"])
    }

    @Test("each lock has its own JSON")
    func json() { #expect(String(decoding: entry("a").json, as: UTF8.self) == #"{"id":"a"}"#) }

    @Test("the picture fills the screen, with a message or the key to quit in the last row")
    func picture() {
        let style = OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], columns: 60)
        let locks = (0..<10).map { entry("\($0)").lock }
        func picture(_ locks: [Wire.Device], _ message: String?, rows: Int) -> [String] {
            LocksFollower.picture(locks, message, style, TerminalSize(columns: 60, rows: rows))
        }
        let small = picture(locks, nil, rows: 6)
        #expect(small.count == 6)
        #expect(small[0].hasPrefix("NAME ") && small[2].hasPrefix("Door 1 ") && small[3] == "… and 8 more")
        #expect(small[4].isEmpty && small[5] == "Ctrl-C ends")
        let big = picture(locks, "no connection to x\n  y", rows: 24)
        #expect(big.count == 24 && big[10].hasPrefix("Door 9 ") && big[11].isEmpty)
        #expect(big[23] == "no connection to x   y")
        #expect(picture([], nil, rows: 5)[0] == "You see no locks.")
    }

    @Test(
        "the question before detaching a lock says how many guest accesses end",
        arguments: [
            (0, "Detach Front?"), (1, "Detach Front? 1 guest access ends for it."),
            (3, "Detach Front? 3 guest accesses end for it."),
        ])
    func question(_ count: Int, _ question: String) { #expect(Detach.question("Front", guestAccesses: count) == question) }

    @Test(
        "only `y` and `yes` confirm",
        arguments: [("y", true), ("YES", true), (" y ", true), ("", false), ("n", false), ("yeah", false)])
    func answer(_ text: String, _ isYes: Bool) { #expect(Confirmation.isYes(text) == isYes) }
}
