import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Following locks") struct LocksFollowerTests {
    private func entry(_ id: String, _ state: Doorward.LockState = .locked, lastSeen: Doorward.Instant? = nil) -> Verbatim<
        Doorward.LockDevice
    > {
        var lock = Doorward.LockDevice(id: id, name: "Door \(id)")
        (lock.state, lock.lastSeen) = (state, lastSeen)
        let json = #"{"devices":[{"id":"\#(id)"}]}"#
        return Response(content: [lock], json: Array(json.utf8)).verbatimItems()[0]
    }

    @Test("the first list reports all locks, later ones only changed locks; a new lastSeen is not a change")
    func changes() {
        var changes = LockChanges()
        #expect(changes.take([entry("a"), entry("b")]).changed.map(\.id) == ["a", "b"])
        #expect(changes.take([entry("a"), entry("b")]).isEmpty)
        #expect(changes.take([entry("a", lastSeen: "2030-01-01T00:00:00Z"), entry("b")]).isEmpty)
        #expect(changes.take([entry("a"), entry("b", .unlocked)]).changed.map(\.id) == ["b"])
        #expect(changes.take([entry("c"), entry("a"), entry("b", .unlocked)]).changed.map(\.id) == ["c"])
    }

    @Test("a lock that is missing from a list is removed, and is new when it comes back")
    func removal() {
        var changes = LockChanges()
        _ = changes.take([entry("a"), entry("b")])
        #expect(changes.take([entry("b"), entry("a")]).isEmpty, "another order")
        #expect(changes.take([entry("b")]).removed.map(\.id) == ["a"])
        #expect(changes.take([entry("b")]).isEmpty)
        #expect(changes.take([entry("b"), entry("a")]).changed.map(\.id) == ["a"])
    }

    @Test("locks are sorted by name ignoring case, and by id")
    func order() {
        func named(_ id: String, _ name: String) -> Verbatim<Doorward.LockDevice> {
            let json = #"{"devices":[{"id":"\#(id)","name":"\#(name)"}]}"#
            return Response(content: [Doorward.LockDevice(id: id, name: name)], json: Array(json.utf8)).verbatimItems()[0]
        }
        let sorted = LocksFollower.sorted([named("1", "b"), named("3", "A"), named("2", "a"), named("4", "C")])
        #expect(sorted.map(\.id) == ["2", "3", "1", "4"])
    }

    @Test("the status of a lock on the stream has the members of the API's status")
    func status() throws {
        let text =
            #"{"devices":[{"id":"a","name":"Door","state":"LOCKED","batteryLevel":null,"faults":[],"metadata":{"state":1},"x/y":0}]}"#
        let door = Response(content: [Doorward.LockDevice(id: "a", name: "Door")], json: Array(text.utf8)).verbatimItems()[0]
        let status = String(decoding: try door.status, as: UTF8.self)
        #expect(status == #"{"status":{"batteryLevel":null,"deviceId":"a","faults":[],"state":"LOCKED"}}"#)
    }

    @Test("each lock has its own JSON")
    func json() { #expect(String(decoding: entry("a").json, as: UTF8.self) == #"{"id":"a"}"#) }

    @Test("the picture fills the screen, with a message or the key to quit in the last row")
    func picture() {
        let style = OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], columns: 60)
        let locks = (0..<10).map { entry("\($0)").value }
        func picture(_ locks: [Doorward.LockDevice], _ message: String?, rows: Int) -> [String] {
            let lines = LocksFollower.lines(locks, style, rows: rows - 2)
            return LiveScreen.picture(lines, message, style, TerminalSize(columns: 60, rows: rows))
        }
        let small = picture(locks, nil, rows: 6)
        #expect(small.count == 6)
        #expect(small[0].hasPrefix("NAME ") && small[2].hasPrefix("Door 1 ") && small[3] == "… and 8 more")
        #expect(small[4].isEmpty && small[5] == "Ctrl-C ends")
        let big = picture(locks, "no connection to x\n  y", rows: 24)
        #expect(big.count == 24 && big[10].hasPrefix("Door 9 ") && big[11].isEmpty)
        #expect(big[23] == "no connection to x   y")
        #expect(picture([], nil, rows: 5)[0] == "You see no locks.")
        #expect(
            LiveScreen.picture(["1", "2", "3", "4"], nil, style, TerminalSize(columns: 60, rows: 5)).prefix(4) == [
                "1", "2", "3", "",
            ])
    }

    @Test("the end of a stream is reported with a sentence")
    func ends() {
        func sentence(_ error: DoorwardError) -> CommandFailure { CommandFailure(error, revoked: "gone") }
        #expect(sentence(.revoked) == CommandFailure("gone"))
        #expect(sentence(.notLoaded) == CommandFailure("gone"))
        #expect(sentence(.sessionEnded).sentence.contains("sign in again"))
        #expect(
            sentence(.refused(.init(status: 403, code: "forbidden"))).sentence == "the gateway refused the request (forbidden)")
        #expect(
            sentence(.refused(.init(status: 403, code: "forbidden", message: "A \u{1B}sentence."))).sentence.contains("sentence.")
        )
        #expect(sentence(.notConnected("http://x: refused")).code == 3)
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
