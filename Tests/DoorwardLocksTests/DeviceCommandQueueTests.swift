import DoorwardAdapterKit
import DoorwardDomain
import DoorwardKernel
import Synchronization
import Testing

@testable import DoorwardLocks

/// The command queue of one device, and the reports that end a command.
@Suite struct DeviceCommandQueueTests {
    private static let device = DeviceID(high: 0, low: 1)

    private static func principal(_ number: UInt64) -> Principal { .user(UserID(high: 1, low: number)) }

    @Test("the first command gets its turn immediately, the others in the order of arrival")
    func order() throws {
        let busy = BusyQueues()
        let queue = DeviceCommandQueue(of: Self.device, busy: busy)
        #expect(busy.queues.withLock { $0.isEmpty })
        let reservations = try (0..<4).map { try #require(queue.reserve(for: Self.principal($0))) }
        for (index, reservation) in reservations.enumerated() {
            #expect(reservations.map { $0.isAdmitted } == (0..<4).map { $0 <= index })
            queue.leave(reservation)
            #expect(busy.queues.withLock { $0[Self.device] == nil } == (index == 3), "a queue is busy until it is empty")
        }
    }

    @Test("a waiting command that gives up frees its place and is skipped")
    func givingUp() throws {
        let queue = DeviceCommandQueue(of: Self.device, busy: BusyQueues())
        let head = try #require(queue.reserve(for: Self.principal(0)))
        let waiting = try (0..<4).map { _ in try #require(queue.reserve(for: Self.principal(1))) }
        #expect(queue.reserve(for: Self.principal(1)) == nil)
        queue.leave(waiting[1])
        let last = try #require(queue.reserve(for: Self.principal(1)))
        waiting[0].admission.fulfil(.ended(.deadlinePassed))
        queue.leave(head)
        #expect(waiting[0].admission.current == .ended(.deadlinePassed))
        #expect(waiting[2].isAdmitted)
        #expect(last.admission.current == nil)
        // The departure of a skipped command does not start the next command in the queue.
        queue.leave(waiting[0])
        #expect(waiting[3].admission.current == nil)
        queue.leave(waiting[2])
        #expect(waiting[3].isAdmitted)
    }

    @Test("a queue whose waiting commands have all given up is free for the next command")
    func allGaveUp() throws {
        let busy = BusyQueues()
        let queue = DeviceCommandQueue(of: Self.device, busy: busy)
        let head = try #require(queue.reserve(for: Self.principal(0)))
        let waiting = try #require(queue.reserve(for: Self.principal(1)))
        waiting.admission.fulfil(.ended(.deadlinePassed))
        queue.leave(head)
        #expect(busy.queues.withLock { $0.isEmpty }, "the queue is empty")
        #expect(try #require(queue.reserve(for: Self.principal(2))).isAdmitted)
        queue.leave(waiting)
    }

    @Test("`cancelQueued` cancels the waiting commands, and not the one in flight")
    func dismissing() throws {
        let queue = DeviceCommandQueue(of: Self.device, busy: BusyQueues())
        let head = try #require(queue.reserve(for: Self.principal(0)))
        let waiting = try (1..<4).map { try #require(queue.reserve(for: Self.principal($0))) }
        queue.cancelQueued()
        #expect(head.isAdmitted)
        #expect(waiting.allSatisfy { $0.admission.current == .ended(.shuttingDown) })
    }

    @Test("at most sixteen commands wait, from however many principals")
    func bounds() throws {
        let queue = DeviceCommandQueue(of: Self.device, busy: BusyQueues())
        for number in 0..<17 { _ = try #require(queue.reserve(for: Self.principal(UInt64(number)))) }
        #expect(queue.reserve(for: Self.principal(99)) == nil)
    }

    @Test("an urgent command goes ahead of those that are not, and behind earlier urgent ones")
    func urgent() throws {
        let queue = DeviceCommandQueue(of: Self.device, busy: BusyQueues())
        let head = try #require(queue.reserve(for: Self.principal(0)))
        let usual = try #require(queue.reserve(for: Self.principal(1)))
        let urgent = try (0..<2).map { _ in try #require(queue.reserve(for: Self.principal(1), isUrgent: true)) }
        for (reservation, next) in zip([head, urgent[0], urgent[1]], [urgent[0], urgent[1], usual]) {
            #expect(next.admission.current == nil)
            queue.leave(reservation)
            #expect(next.isAdmitted)
        }
    }

    @Test("no limit applies to urgent commands, and they count towards none")
    func urgentBounds() throws {
        let queue = DeviceCommandQueue(of: Self.device, busy: BusyQueues())
        for _ in 0..<40 { _ = try #require(queue.reserve(for: Self.principal(0), isUrgent: true)) }
        for _ in 0..<4 { _ = try #require(queue.reserve(for: Self.principal(0))) }
        #expect(queue.reserve(for: Self.principal(0)) == nil, "four of one principal")
        for number in 1..<13 as Range<UInt64> { _ = try #require(queue.reserve(for: Self.principal(number))) }
        #expect(queue.reserve(for: Self.principal(99)) == nil, "sixteen in all")
        #expect(queue.reserve(for: Self.principal(99), isUrgent: true) != nil)
    }

    /// A report of a lock, and the outcome with which the report ends an in-flight command of each operation.
    struct Word: Sendable {
        let fact: LockReport.Fact
        let results: [LockOperation: CommandOutcome]
    }

    private static func live(_ state: LockState) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: nil, operatorName: nil)
    }

    static let words: [Word] = [
        Word(fact: live(.locked), results: [.lock: .confirmed(.locked)]),
        Word(fact: live(.unlocked), results: [.unlock: .confirmed(.unlocked)]),
        Word(fact: live(.unlatched), results: [.unlock: .confirmed(.unlatched), .unlatch: .confirmed(.unlatched)]),
        Word(fact: live(.locking), results: [:]),
        Word(fact: live(.unlocking), results: [:]),
        Word(fact: live(.unknown), results: [:]),
        Word(fact: live(.jammed), results: [.lock: .jammed, .unlock: .jammed, .unlatch: .jammed]),
        Word(fact: .state(.jammed, quality: .retained, method: nil, operatorName: nil), results: [:]),
        Word(fact: .state(.locked, quality: .retained, method: nil, operatorName: nil), results: [:]),
        Word(fact: .state(.unlocked, quality: .assumed, method: nil, operatorName: nil), results: [:]),
        Word(fact: .state(.unlatched, quality: .stale, method: nil, operatorName: nil), results: [:]),
        Word(
            fact: .refusal(.lowPower),
            results: Dictionary(uniqueKeysWithValues: LockOperation.ofCommands.map { ($0, .refused(.lowPower)) })
        ),
        Word(fact: .door(.open), results: [:]), Word(fact: .battery(level: 1, low: true), results: [:]),
        Word(fact: .availability(false), results: [:]), Word(fact: .availability(true), results: [:]),
        Word(fact: .event(.unlocked, method: .key, operatorName: nil), results: [:]),
        Word(fact: .faults(["tamper"]), results: [:]),
        Word(fact: .settings(LockSettings(autoRelockSeconds: 30)), results: [.changeSettings: .settingsConfirmed]),
        Word(fact: .settings(LockSettings(autoRelockSeconds: 31)), results: [:]),
        Word(fact: .settings(LockSettings()), results: [:]),
    ]

    @Test("only a live report of the bolt's state or of the command's settings, or a refusal, ends a command", arguments: words)
    func wordsOfTheLock(word: Word) {
        for operation in LockOperation.ofCommands {
            let command = CommandID(high: 1, low: 1)
            func said(_ fact: LockReport.Fact, after: CommandID?) -> LockReport {
                LockReport(deviceID: DeviceID(high: 0, low: 1), fact, after: after)
            }
            let settings = operation.isMovement ? nil : LockSettings(autoRelockSeconds: 30)
            let order = InFlightCommand(
                LockCommand(
                    commandID: command, deviceID: Self.device, operation: operation, settings: settings,
                    deadline: Timestamp(milliseconds: 0)))
            let result = word.results[operation]
            for other in [nil, CommandID(high: 1, low: 2)] {
                #expect(!order.ends(said(word.fact, after: other)), "reported before the command was sent")
            }
            #expect(order.ends(said(word.fact, after: command)) == (result != nil), "\(operation)")
            #expect(order.result.current == result, "\(operation)")
            let again = order.ends(said(Self.live(.locked), after: command))
            #expect(!again || result == nil, "an ended command does not end again")
        }
    }

    /// Counts the threads that are in the gate.
    private final class Crowd: Sendable {
        private let inside = Atomic(0)
        let crowded = Atomic(0)

        func pass() {
            if inside.add(1, ordering: .sequentiallyConsistent).newValue > 1 { crowded.add(1, ordering: .sequentiallyConsistent) }
            inside.subtract(1, ordering: .sequentiallyConsistent)
        }
    }

    @Test("only one thread at a time is in the gate")
    func gate() async {
        let (queue, crowd) = (DeviceCommandQueue(of: Self.device, busy: BusyQueues()), Crowd())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        queue.withDispatchGate { crowd.pass() }
                        queue.awaitDispatchGate()
                    }
                }
            }
        }
        #expect(crowd.crowded.load(ordering: .sequentiallyConsistent) == 0)
    }
}

extension QueueReservation {
    /// Whether the command is at the head of the queue.
    fileprivate var isAdmitted: Bool { admission.current == .admitted }
}
