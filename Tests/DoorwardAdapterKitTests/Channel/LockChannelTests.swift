import Dispatch
import DoorwardAdapterKit
import DoorwardAdapterTesting
import DoorwardDomain
import Synchronization
import Testing

@Suite struct LockChannelTests {
    // MARK: - One command at a time

    @Test("A second command is rejected until the first is answered")
    func oneAtATime() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1)
            #expect(fixture.channel.commandInFlight == ChannelFixture.commandID(1))
            #expect(throws: AdapterError.transportBusy) { try fixture.send(2) }
            #expect(fixture.answer(1, .unlocked))
            #expect(fixture.channel.commandInFlight == nil)
            try fixture.send(3)
            try await fixture.advance(by: .seconds(60))
            #expect(fixture.reportTexts == ["UNLOCKED 1"])
            #expect(fixture.notes == ["gave up 3 at 10"])
        }
    }

    @Test("A report that is not an answer leaves the command in flight")
    func reportEndsNothing() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1)
            fixture.report(.unlocking)
            #expect(throws: AdapterError.transportBusy) { try fixture.send(2) }
            #expect(fixture.reportTexts == ["UNLOCKING 1"])
        }
    }

    @Test("Of concurrent commands from many threads exactly one is handed over")
    func manyThreads() throws {
        try ChannelFixture.run { fixture in
            let accepted = Counter()
            let handedOver = Counter()
            DispatchQueue.concurrentPerform(iterations: 16) { number in
                let isAccepted: Void? = try? fixture.channel.send(fixture.command(UInt64(number))) { handedOver.add(1) }
                if isAccepted != nil { accepted.add(1) }
            }
            #expect(accepted.add(0) == 1)
            #expect(handedOver.add(0) == 1)
        }
    }

    // MARK: - Deadlines

    @Test("At its deadline a command is given up once, and the next command is accepted")
    func deadline() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1, deadline: .seconds(3))
            try await fixture.advance(by: .seconds(2))
            #expect(throws: AdapterError.transportBusy) { try fixture.send(2) }
            try await fixture.advance(by: .seconds(1))
            #expect(fixture.notes == ["gave up 1 at 3"])
            try fixture.send(2, deadline: .seconds(1))
            try await fixture.advance(by: .seconds(60))
            #expect(fixture.notes == ["gave up 1 at 3", "gave up 2 at 4"])
            #expect(fixture.reportTexts == [])
        }
    }

    @Test("A command is accepted exactly at the deadline of the previous one, even if that one's timer has not fired")
    func deadlineBeforeTimer() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1, deadline: .seconds(3))
            fixture.clock.advance(by: .seconds(3))
            #expect(fixture.channel.commandInFlight == nil)
            try fixture.send(2)
            #expect(fixture.notes == ["gave up 1 at 3"])
            try await fixture.advance(by: .seconds(1))
            #expect(fixture.channel.commandInFlight == ChannelFixture.commandID(2))
            #expect(fixture.notes == ["gave up 1 at 3"])
        }
    }

    @Test("A command that was answered is not given up at its deadline")
    func answeredInTime() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1)
            fixture.answer(1, .unlocked)
            try await fixture.advance(by: .seconds(60))
            #expect(fixture.notes == [])
            #expect(fixture.clock.sleeperCount == 0)
        }
    }

    @Test(
        "A command after its deadline is not handed over, and no command waits longer than an hour",
        arguments: [Int64.min, -1, 0, .max])
    func extremes(_ milliseconds: Int64) throws {
        try ChannelFixture.run { fixture in
            let command = LockCommand(
                commandID: ChannelFixture.commandID(1), deviceID: ChannelFixture.device, operation: .lock,
                deadline: Timestamp(milliseconds: milliseconds))
            let send = {
                try fixture.channel.send(command, onGivenUp: { fixture.note("gave up") }) { fixture.note("handed over") }
            }
            guard milliseconds == .max else {
                #expect(throws: AdapterError.transportBusy) { try send() }
                return #expect(fixture.notes == [])
            }
            try send()
            try await fixture.advance(by: .seconds(7200))
            #expect(fixture.notes == ["handed over at 0", "gave up at 3600"])
        }
    }

    // MARK: - The preceding command of a report

    @Test("Reports are marked with the last command that was handed over, and with none before the first")
    func marks() throws {
        try ChannelFixture.run { fixture in
            fixture.report(.locked)
            try fixture.send(1)
            fixture.report(.unlocking)
            fixture.answer(1, .unlocked)
            fixture.report(.locked)
            try fixture.send(2)
            fixture.answer(nil, .unlocked)
            #expect(fixture.reportTexts == ["LOCKED -", "UNLOCKING 1", "UNLOCKED 1", "LOCKED 1", "UNLOCKED 2"])
        }
    }

    @Test("During a hand-over reports are marked with the previous command, and an answer with the new one")
    func marksDuringHandOver() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1)
            fixture.answer(1, .unlocked)
            try fixture.channel.send(fixture.command(2)) {
                fixture.report(.locked)
                fixture.answer(2, .unlocked)
            }
            fixture.report(.locked)
            #expect(fixture.reportTexts == ["UNLOCKED 1", "LOCKED 1", "UNLOCKED 2", "LOCKED 2"])
            #expect(fixture.channel.commandInFlight == nil)
        }
    }

    @Test("If a hand-over throws, reports are not marked with its command, and the next command is accepted at once")
    func refusedByTransport() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1)
            fixture.answer(1, .unlocked)
            #expect(throws: AdapterError.offline) {
                try fixture.channel.send(fixture.command(2), onGivenUp: { fixture.note("gave up") }) { () throws(AdapterError) in
                    throw .offline
                }
            }
            fixture.report(.locked)
            #expect(!fixture.answer(2, .unlocked))
            try fixture.send(3)
            try await fixture.advance(by: .seconds(5))
            #expect(fixture.reportTexts == ["UNLOCKED 1", "LOCKED 1"])
            #expect(fixture.notes == [])
        }
    }

    @Test("A late answer is reported, unless a later command was handed over")
    func lateAnswer() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1, deadline: .seconds(1))
            try await fixture.advance(by: .seconds(2))
            #expect(fixture.answer(1, .unlocked))
            try fixture.send(2)
            #expect(!fixture.answer(1, .unlocked))
            #expect(fixture.channel.commandInFlight == ChannelFixture.commandID(2))
            fixture.answer(2, .locked)
            #expect(!fixture.answer(1, .unlocked))
            #expect(fixture.reportTexts == ["UNLOCKED 1", "LOCKED 2"])
        }
    }

    // MARK: - Delivery

    @Test("The next command can be sent inside `receive`, and its answer is delivered after the current report")
    func commandInsideReceive() throws {
        try ChannelFixture.run { fixture in
            fixture.onReport { report in
                guard report.after == ChannelFixture.commandID(1), (try? fixture.send(2)) != nil else { return }
                fixture.answer(2, .locked)
                fixture.note("\(fixture.reportTexts.count) heard inside receive")
            }
            try fixture.send(1)
            fixture.answer(1, .unlocked)
            #expect(fixture.reportTexts == ["UNLOCKED 1", "LOCKED 2"])
            #expect(fixture.notes == ["1 heard inside receive at 0"])
        }
    }

    @Test("Concurrent reports are delivered once each, one at a time")
    func concurrentReports() throws {
        try ChannelFixture.run { fixture in
            let inside = Counter()
            let overlaps = Counter()
            fixture.onReport { _ in
                if inside.add(1) > 1 { overlaps.add(1) }
                inside.add(-1)
            }
            DispatchQueue.concurrentPerform(iterations: 64) { _ in fixture.report(.locked) }
            #expect(overlaps.add(0) == 0)
            #expect(fixture.reportTexts.count == 64)
        }
    }

    // MARK: - Opening and closing

    @Test("A closed channel rejects commands and reports nothing, and closing gives up the command in flight")
    func closed() throws {
        try ChannelFixture.run { fixture in
            try fixture.send(1)
            fixture.channel.close()
            #expect(fixture.notes == ["gave up 1 at 0"])
            #expect(!fixture.channel.isOpen)
            #expect(throws: AdapterError.offline) { try fixture.send(2) }
            fixture.report(.locked)
            #expect(!fixture.answer(1, .unlocked))
            try await fixture.advance(by: .seconds(60))
            #expect(fixture.reportTexts == [])
            #expect(fixture.notes == ["gave up 1 at 0"])
        }
    }

    @Test("A channel that is opened again delivers the reports from then on")
    func openedAgain() throws {
        try ChannelFixture.run { fixture in
            fixture.channel.close()
            fixture.report(.locked)
            fixture.channel.open(to: fixture)
            fixture.report(.unlocked)
            try fixture.send(1)
            fixture.answer(1, .unlocked)
            #expect(fixture.reportTexts == ["UNLOCKED -", "UNLOCKED 1"])
        }
    }

    // MARK: - Transports with delayed responses

    @Test("A delayed response confirms its own command; giving up a command cancels its request")
    func answersLater() throws {
        try ChannelFixture.run { fixture in
            let bridge = SimulatedBridge(fixture)
            try bridge.send(1, answerAfter: .seconds(4))
            try await fixture.advance(by: .seconds(5))
            try bridge.send(2, answerAfter: .seconds(30))
            try await fixture.advance(by: .seconds(11))
            try bridge.send(3, answerAfter: .seconds(1))
            try await fixture.advance(by: .seconds(60))
            #expect(fixture.reportTexts == ["UNLOCKED 1", "UNLOCKED 3"])
            #expect(fixture.notes == ["1 done at 4", "2 cancelled at 15", "3 done at 17"])
        }
    }
}

/// A bridge with an HTTP API: a request takes some time, and its response is the lock's answer.
private struct SimulatedBridge: Sendable {
    let fixture: ChannelFixture

    init(_ fixture: ChannelFixture) { self.fixture = fixture }

    func send(_ number: UInt64, answerAfter time: Duration) throws(AdapterError) {
        let request = Request()
        try fixture.channel.send(fixture.command(number), onGivenUp: { request.cancel() }) {
            request.start(on: fixture.executor) { [fixture] in
                do {
                    try await fixture.advance(by: time)
                    fixture.note("\(number) done")
                    fixture.answer(number, .unlocked)
                } catch {
                    fixture.note("\(number) cancelled")
                }
            }
        }
    }
}

/// A request in flight.
private final class Request: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func start(on executor: SeededExecutor, _ body: @escaping @Sendable () async -> Void) {
        task.withLock { $0 = Task(executorPreference: executor) { await body() } }
    }

    func cancel() { task.withLock { $0 }?.cancel() }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    /// - Returns: the new value.
    @discardableResult
    func add(_ number: Int) -> Int {
        value.withLock { value in
            value += number
            return value
        }
    }
}
