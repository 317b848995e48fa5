import DoorwardAdapterKit
import DoorwardDomain
import Testing

@testable import DoorwardControl

/// The queue of one device by itself, and the word that ends an order.
@Suite struct LaneTests {
    private static func principal(_ number: UInt64) -> Principal { .user(UserID(high: 1, low: number)) }

    @Test("the first has its turn at once, the others in the order in which they came")
    func order() throws {
        let lane = DeviceCommandQueue()
        let places = try (0..<4).map { try #require(lane.reserve(for: Self.principal($0))) }
        for (index, place) in places.enumerated() {
            #expect(places.map { $0.turn.current == .come } == (0..<4).map { $0 <= index })
            #expect(lane.leave(place) == (index == 3))
        }
    }

    @Test("who gives up in the queue makes room and is passed over")
    func givingUp() throws {
        let lane = DeviceCommandQueue()
        let head = try #require(lane.reserve(for: Self.principal(0)))
        let waiting = try (0..<4).map { _ in try #require(lane.reserve(for: Self.principal(1))) }
        #expect(lane.reserve(for: Self.principal(1)) == nil)
        #expect(!lane.leave(waiting[1]))
        let last = try #require(lane.reserve(for: Self.principal(1)))
        waiting[0].turn.fulfil(.deadlinePassed)
        #expect(!lane.leave(head))
        #expect(waiting[0].turn.current == .deadlinePassed)
        #expect(waiting[2].turn.current == .come)
        #expect(last.turn.current == nil)
        // The one that was passed over leaves late: that is nobody else's turn.
        #expect(!lane.leave(waiting[0]))
        #expect(waiting[3].turn.current == nil)
        #expect(!lane.leave(waiting[2]))
        #expect(waiting[3].turn.current == .come)
    }

    @Test("a lane whose waiting have all given up is free for the next")
    func allGaveUp() throws {
        let lane = DeviceCommandQueue()
        let head = try #require(lane.reserve(for: Self.principal(0)))
        let waiting = try #require(lane.reserve(for: Self.principal(1)))
        waiting.turn.fulfil(.deadlinePassed)
        #expect(lane.leave(head), "nobody holds the door any more")
        #expect(try #require(lane.reserve(for: Self.principal(2))).turn.current == .come)
        #expect(!lane.leave(waiting))
    }

    @Test("a stop dismisses those who wait, not the one whose order is out")
    func dismissing() throws {
        let lane = DeviceCommandQueue()
        let head = try #require(lane.reserve(for: Self.principal(0)))
        let waiting = try (1..<4).map { try #require(lane.reserve(for: Self.principal($0))) }
        lane.cancelQueued()
        #expect(head.turn.current == .come)
        #expect(waiting.allSatisfy { $0.turn.current == .shuttingDown })
    }

    @Test("sixteen wait, whoever they are, and four of one principal")
    func bounds() throws {
        let lane = DeviceCommandQueue()
        for number in 0..<17 { _ = try #require(lane.reserve(for: Self.principal(UInt64(number)))) }
        #expect(lane.reserve(for: Self.principal(99)) == nil)
    }

    /// A word of a lock, and what it makes of an order for each operation.
    struct Word: Sendable {
        let fact: LockReport.Fact
        let endings: [LockOperation: InFlightCommand.Ending]
    }

    private static func live(_ state: LockState) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: nil, operatorName: nil)
    }

    static let words: [Word] = [
        Word(fact: live(.locked), endings: [.lock: .confirmed(.locked)]),
        Word(fact: live(.unlocked), endings: [.unlock: .confirmed(.unlocked)]),
        Word(fact: live(.unlatched), endings: [.unlock: .confirmed(.unlatched), .unlatch: .confirmed(.unlatched)]),
        Word(fact: live(.locking), endings: [:]),
        Word(fact: live(.unlocking), endings: [:]),
        Word(fact: live(.unknown), endings: [:]),
        Word(fact: live(.jammed), endings: [.lock: .jammed, .unlock: .jammed, .unlatch: .jammed]),
        Word(fact: .state(.jammed, quality: .retained, method: nil, operatorName: nil), endings: [:]),
        Word(fact: .state(.locked, quality: .retained, method: nil, operatorName: nil), endings: [:]),
        Word(fact: .state(.unlocked, quality: .assumed, method: nil, operatorName: nil), endings: [:]),
        Word(fact: .state(.unlatched, quality: .stale, method: nil, operatorName: nil), endings: [:]),
        Word(
            fact: .refusal(.lowPower),
            endings: [.lock: .refused(.lowPower), .unlock: .refused(.lowPower), .unlatch: .refused(.lowPower)]
        ),
        Word(fact: .door(.open), endings: [:]), Word(fact: .battery(level: 1, low: true), endings: [:]),
        Word(fact: .availability(false), endings: [:]), Word(fact: .availability(true), endings: [:]),
        Word(fact: .event(.unlocked, method: .key, operatorName: nil), endings: [:]),
        Word(fact: .faults(["tamper"]), endings: [:]),
    ]

    @Test("only a live word of the lock about its bolt, or a refusal, ends an order", arguments: words)
    func wordsOfTheLock(word: Word) {
        for operation in LockOperation.movements {
            let command = CommandID(high: 1, low: 1)
            func said(_ fact: LockReport.Fact, after: CommandID?) -> LockReport {
                LockReport(deviceID: DeviceID(high: 0, low: 1), fact, after: after)
            }
            let order = InFlightCommand(commandID: command, operation: operation)
            let ending = word.endings[operation]
            for other in [nil, CommandID(high: 1, low: 2)] {
                #expect(!order.ends(said(word.fact, after: other)), "said before the order had left")
            }
            #expect(order.ends(said(word.fact, after: command)) == (ending != nil), "\(operation)")
            #expect(order.ending.current.map { "\($0)" } == ending.map { "\($0)" }, "\(operation)")
            let again = order.ends(said(Self.live(.locked), after: command))
            #expect(!again || ending == nil, "what has ended does not end again")
        }
    }

    /// How many are in the gate.
    private final class Crowd: Sendable {
        let inside = Counter()
        let crowded = Counter()

        func pass() {
            if inside.increment() > 1 { crowded.increment() }
            inside.decrement()
        }
    }

    @Test("one at a time is in the gate, on however many threads")
    func gate() async {
        let (lane, crowd) = (DeviceCommandQueue(), Crowd())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        lane.withDispatchGate { crowd.pass() }
                        lane.awaitDispatchGate()
                    }
                }
            }
        }
        #expect(crowd.crowded.value == 0)
    }
}
