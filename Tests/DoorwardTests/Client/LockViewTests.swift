import DoorwardDomain
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("Display of locks and guest accesses") struct LockViewTests {
    private func view(_ fill: (inout Doorward.LockDevice) -> Void) -> LockView {
        var device = Doorward.LockDevice(id: "d", name: "Front")
        fill(&device)
        return LockView(device)
    }

    @Test(
        "a state that is not confirmed is shown with its quality",
        arguments: [
            ("CONFIRMED", "locked"), ("RETAINED", "locked (retained)"), ("STALE", "locked (stale)"),
            ("NEW_WORD", "locked (new word)"),
        ] as [(Doorward.StateQuality, String)])
    func quality(_ quality: Doorward.StateQuality, _ shown: String) {
        #expect(view { ($0.state, $0.stateQuality) = ("LOCKED", quality) }.state.text == shown)
    }

    @Test(
        "only locked is green, open states are yellow and jammed is red; other states have no colour",
        arguments: [
            ("LOCKED", OutputStyle.Colour.green), ("UNLOCKED", .yellow), ("UNLATCHED", .yellow), ("JAMMED", .red),
            ("UNKNOWN", nil),
            ("LOCKING", nil), ("FUTURE", nil),
        ] as [(Doorward.LockState, OutputStyle.Colour?)])
    func colours(_ state: Doorward.LockState, _ colour: OutputStyle.Colour?) {
        #expect(view { $0.state = state }.state.colour == colour)
    }

    @Test("a value that is unknown or not visible is shown as a dash")
    func absent() {
        let view = view { _ in }
        #expect([view.state, view.door, view.battery, view.online].map(\.text) == ["-", "-", "-", "-"])
        #expect(view.place == "no property")
    }

    @Test("capabilities and faults are shown in words")
    func words() {
        var device = Doorward.LockDevice(id: "d", name: "Front")
        (device.capabilities, device.faults) = (["LOCK", "UNLOCK", "VIEW_STATUS"], ["notFullyLocked", "tamper"])
        let lines = Status.lines(device, OutputStyle(isTerminal: false, environment: [:]))
        #expect(lines.contains("can\tlock, unlock, view status"))
        #expect(lines.contains("faults\tnot fully locked, tamper"))
    }

    @Test("notes are shown only if there are any, and cannot control the terminal")
    func notes() {
        let (pipe, terminal) = (
            OutputStyle(isTerminal: false, environment: [:]), OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"])
        )
        var device = Doorward.LockDevice(id: "d", name: "Front")
        #expect(!Status.lines(device, pipe).contains { $0.hasPrefix("notes") })
        #expect(Notes.lines(device, pipe).isEmpty && Notes.lines(device, terminal) == ["Nothing is noted about Front."])
        #expect(Notes.changed(device, pipe) == ["Front\t-"] && Notes.changed(device, terminal) == ["Front has no notes."])
        device.notes = "Key box\u{1B}[2J"
        #expect(Status.lines(device, pipe).contains("notes\tKey box\u{241B}[2J"))
        #expect(Notes.lines(device, terminal) == ["Key box\u{241B}[2J"])
        #expect(Notes.changed(device, terminal) == ["Noted about Front: Key box\u{241B}[2J"])
    }

    @Test("place, battery and availability are shown")
    func rest() {
        let low = view {
            ($0.propertyName, $0.unitName, $0.batteryLevel, $0.batteryLow, $0.isOnline) = ("Quay", "1a", 5, true, false)
        }
        #expect(low.place == "Quay / 1a")
        #expect((low.battery.text, low.battery.colour) == ("5 % low", .red))
        #expect((low.online.text, low.online.colour) == ("no", .red))
        #expect(view { $0.batteryLow = true }.battery.text == "low")
        #expect(view { ($0.batteryLevel, $0.batteryLow) = (80, false) }.battery.text == "80 %")
    }

    @Test(
        "a guest access is active from the start of its window until just before its end",
        arguments: [
            (999, "scheduled"), (1000, "active"), (1999, "active"), (2000, "expired"),
        ])
    func status(_ milliseconds: Int64, _ shown: String) {
        var access = Doorward.GuestAccess(id: "g")
        access.validFrom = Doorward.Instant(milliseconds: 1000)
        access.validUntil = Doorward.Instant(milliseconds: 2000)
        let now = Timestamp(milliseconds: milliseconds)
        #expect(GuestAccessView(access: access, now: now).status.text == shown)
        access.revokedAt = Doorward.Instant(milliseconds: 0)
        #expect(GuestAccessView(access: access, now: now).status.text == "revoked")
    }

    @Test("a guest is shown by name, else by label, else by id; a lock without a name by id")
    func names() {
        var access = Doorward.GuestAccess(id: "g")
        (access.guestUserId, access.deviceIds) = ("u", ["d", "e"])
        let known = GuestAccessView(
            access: access, lockNames: ["d": "Front"], now: Timestamp(milliseconds: 0))
        #expect((known.guest, known.locks) == ("u", "Front, e"))
        (access.guest, access.label) = (.init(id: "u", name: "Gus", email: "gus@example.org"), "cleans")
        let named = GuestAccessView(access: access, now: Timestamp(milliseconds: 0))
        #expect(named.guest == "Gus")
        #expect(named.candidates.map(\.name) == ["Gus", "gus@example.org", "cleans"])
        (access.guest, access.label) = (nil, nil)
        #expect(GuestAccessView(access: access, now: Timestamp(milliseconds: 0)).guest == "u")
        (access.guestUserId, access.label) = (nil, "Plumber")
        #expect(GuestAccessView(access: access, now: Timestamp(milliseconds: 0)).guest == "Plumber")
    }
}
