import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

@testable import DoorwardLocks

/// The runtime state of devices, and the devices that a change of rights waits for.
@Suite struct DeviceRuntimesTests {
    private static func id(_ number: UInt64) -> DeviceID { DeviceID(high: 1, low: number) }
    private static let somebody = Principal.user(UserID(high: 1, low: 1))

    @Test("each device id has one runtime object; reading a status creates none")
    func identity() {
        let devices = DeviceRuntimes(feed: ChangeFeed(clock: VirtualClock()))
        #expect(devices.status(of: Self.id(1)) == DeviceStatus())
        #expect(devices.existing(Self.id(1)) == nil)
        let device = devices.device(Self.id(1))
        #expect(devices.device(Self.id(1)) === device)
        #expect(devices.existing(Self.id(1)) === device)
        // The ids 1 and 65 are in the same one of the 64 tables.
        #expect(devices.device(Self.id(65)) !== device)
        device.update { $0.state = .locked }
        #expect(devices.status(of: Self.id(1)).state == .locked)
        #expect(devices.status(of: Self.id(65)).state == .unknown)
    }

    @Test("threads that request the same new device get the same object", arguments: 0..<50)
    func race(round: UInt64) async {
        let devices = DeviceRuntimes(feed: ChangeFeed(clock: VirtualClock()))
        let found = await withTaskGroup(of: DeviceRuntime.self) { group in
            for _ in 0..<8 { group.addTask { devices.device(Self.id(round)) } }
            return await group.reduce(into: [ObjectIdentifier]()) { $0.append(ObjectIdentifier($1)) }
        }
        #expect(Set(found).count == 1)
    }

    @Test("waiting for the dispatch gates waits for a device with a command, and not for an idle one")
    func passing() async throws {
        let devices = DeviceRuntimes(feed: ChangeFeed(clock: VirtualClock()))
        let (busy, idle) = (devices.device(Self.id(1)), devices.device(Self.id(2)))
        let reservation = try #require(busy.queue.reserve(for: Self.somebody))
        // Inside the gate of an idle device, waiting for all gates does not block.
        idle.queue.withDispatchGate { devices.pass() }
        let passed = Seen<Bool>()
        let early = busy.queue.withDispatchGate {
            Thread.detachNewThread {
                devices.pass()
                passed.value = true
            }
            for _ in 0..<20_000 where passed.value == nil { sched_yield() }
            return passed.value != nil
        }
        #expect(!early)
        while passed.value == nil { await Task.yield() }
        busy.queue.leave(reservation)
        busy.queue.withDispatchGate { devices.pass() }
    }

    @Test("a device stays busy until its last reservation is released, with concurrent reservations on many threads")
    func busy() async {
        let devices = DeviceRuntimes(feed: ChangeFeed(clock: VirtualClock()))
        let device = devices.device(Self.id(3))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<300 {
                        let principal = Principal.user(UserID(high: 2, low: UInt64(number)))
                        guard let reservation = device.queue.reserve(for: principal) else { continue }
                        // While a reservation exists, `cancelQueued` finds the device.
                        if reservation.admission.current == nil {
                            devices.cancelQueued()
                            if reservation.admission.current == nil { Issue.record("a waiting command was not cancelled") }
                        }
                        device.queue.leave(reservation)
                    }
                }
            }
        }
        // All reservations are released, so `pass` waits for no gate.
        device.queue.withDispatchGate { devices.pass() }
    }

    @Test("a late report confirms the matching unconfirmed command, once")
    func unanswered() {
        let device = DeviceRuntime(id: Self.id(4), feed: ChangeFeed(clock: VirtualClock()), busy: BusyQueues())
        let (now, end) = (MonotonicInstant(nanoseconds: 5), MonotonicInstant(nanoseconds: 9))
        func claim(_ state: LockState, at instant: MonotonicInstant? = nil) -> CommandID? {
            let fact = LockReport.Fact.state(state, quality: .confirmed, method: nil, operatorName: nil)
            return device.claimLateConfirmation(by: fact, at: instant ?? now)?.id
        }
        let command = CommandID(high: 1, low: 7)
        func remember(_ operation: LockOperation) {
            device.remember(UnconfirmedCommand(id: command, operation: operation, log: .gateway, expiresAt: end), of: 0)
        }
        #expect(claim(.locked) == nil)
        remember(.lock)
        #expect(claim(.locking) == nil, "an intermediate state does not confirm")
        #expect(claim(.locked) == command)
        #expect(claim(.locked) == nil)
        remember(.lock)
        #expect(claim(.unlocked) == nil && claim(.locked) == nil, "a contradicting state ends the wait")
        remember(.unlatch)
        #expect(
            claim(.unlocked) == nil && claim(.jammed) == command,
            "an unlatch is not confirmed by an unlocked bolt, but is answered by a jam")
        remember(.unlock)
        #expect(claim(.unlocked, at: end) == nil && claim(.unlocked) == nil, "the wait ends at its deadline")
        remember(.unlock)
        device.recordSent(CommandID(high: 1, low: 9), .gateway)
        #expect(claim(.unlocked) == nil)
    }
}
