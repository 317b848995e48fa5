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
        try ChannelRig.run { rig in
            try rig.send(1)
            #expect(rig.channel.commandInFlight == ChannelRig.command(1))
            #expect(throws: AdapterError.transportBusy) { try rig.send(2) }
            #expect(rig.answer(1, .unlocked))
            #expect(rig.channel.commandInFlight == nil)
            try rig.send(3)
            try await rig.pass(.seconds(60))
            #expect(rig.heard == ["UNLOCKED 1"])
            #expect(rig.notes == ["gave up 3 at 10"])
        }
    }

    @Test("A report that is not an answer leaves the command in flight")
    func reportEndsNothing() throws {
        try ChannelRig.run { rig in
            try rig.send(1)
            rig.report(.unlocking)
            #expect(throws: AdapterError.transportBusy) { try rig.send(2) }
            #expect(rig.heard == ["UNLOCKING 1"])
        }
    }

    @Test("Of concurrent commands from many threads exactly one is handed over")
    func manyThreads() throws {
        try ChannelRig.run { rig in
            let taken = Count()
            let handedOver = Count()
            DispatchQueue.concurrentPerform(iterations: 16) { number in
                let isTaken: Void? = try? rig.channel.send(rig.order(UInt64(number))) { handedOver.add(1) }
                if isTaken != nil { taken.add(1) }
            }
            #expect(taken.add(0) == 1)
            #expect(handedOver.add(0) == 1)
        }
    }

    // MARK: - Deadlines

    @Test("At its deadline a command is given up once, and the next command is accepted")
    func deadline() throws {
        try ChannelRig.run { rig in
            try rig.send(1, deadline: .seconds(3))
            try await rig.pass(.seconds(2))
            #expect(throws: AdapterError.transportBusy) { try rig.send(2) }
            try await rig.pass(.seconds(1))
            #expect(rig.notes == ["gave up 1 at 3"])
            try rig.send(2, deadline: .seconds(1))
            try await rig.pass(.seconds(60))
            #expect(rig.notes == ["gave up 1 at 3", "gave up 2 at 4"])
            #expect(rig.heard == [])
        }
    }

    @Test("A command is accepted exactly at the deadline of the previous one, even if that one's timer has not fired")
    func deadlineBeforeTimer() throws {
        try ChannelRig.run { rig in
            try rig.send(1, deadline: .seconds(3))
            rig.clock.advance(by: .seconds(3))
            #expect(rig.channel.commandInFlight == nil)
            try rig.send(2)
            #expect(rig.notes == ["gave up 1 at 3"])
            try await rig.pass(.seconds(1))
            #expect(rig.channel.commandInFlight == ChannelRig.command(2))
            #expect(rig.notes == ["gave up 1 at 3"])
        }
    }

    @Test("A command that was answered is not given up at its deadline")
    func answeredInTime() throws {
        try ChannelRig.run { rig in
            try rig.send(1)
            rig.answer(1, .unlocked)
            try await rig.pass(.seconds(60))
            #expect(rig.notes == [])
            #expect(rig.clock.sleeperCount == 0)
        }
    }

    @Test(
        "A command after its deadline is not handed over, and no command waits longer than an hour",
        arguments: [Int64.min, -1, 0, .max])
    func extremes(_ milliseconds: Int64) throws {
        try ChannelRig.run { rig in
            let order = LockCommand(
                commandID: ChannelRig.command(1), deviceID: ChannelRig.device, operation: .lock,
                deadline: Timestamp(milliseconds: milliseconds))
            let send = {
                try rig.channel.send(order, onGivenUp: { rig.note("gave up") }) { rig.note("handed over") }
            }
            guard milliseconds == .max else {
                #expect(throws: AdapterError.transportBusy) { try send() }
                return #expect(rig.notes == [])
            }
            try send()
            try await rig.pass(.seconds(7200))
            #expect(rig.notes == ["handed over at 0", "gave up at 3600"])
        }
    }

    // MARK: - The preceding command of a report

    @Test("Reports are marked with the last command that was handed over, and with none before the first")
    func marks() throws {
        try ChannelRig.run { rig in
            rig.report(.locked)
            try rig.send(1)
            rig.report(.unlocking)
            rig.answer(1, .unlocked)
            rig.report(.locked)
            try rig.send(2)
            rig.answer(nil, .unlocked)
            #expect(rig.heard == ["LOCKED -", "UNLOCKING 1", "UNLOCKED 1", "LOCKED 1", "UNLOCKED 2"])
        }
    }

    @Test("During a hand-over reports are marked with the previous command, and an answer with the new one")
    func marksDuringHandOver() throws {
        try ChannelRig.run { rig in
            try rig.send(1)
            rig.answer(1, .unlocked)
            try rig.channel.send(rig.order(2)) {
                rig.report(.locked)
                rig.answer(2, .unlocked)
            }
            rig.report(.locked)
            #expect(rig.heard == ["UNLOCKED 1", "LOCKED 1", "UNLOCKED 2", "LOCKED 2"])
            #expect(rig.channel.commandInFlight == nil)
        }
    }

    @Test("If a hand-over throws, reports are not marked with its command, and the next command is accepted at once")
    func refusedByTransport() throws {
        try ChannelRig.run { rig in
            try rig.send(1)
            rig.answer(1, .unlocked)
            #expect(throws: AdapterError.offline) {
                try rig.channel.send(rig.order(2), onGivenUp: { rig.note("gave up") }) { () throws(AdapterError) in throw .offline
                }
            }
            rig.report(.locked)
            #expect(!rig.answer(2, .unlocked))
            try rig.send(3)
            try await rig.pass(.seconds(5))
            #expect(rig.heard == ["UNLOCKED 1", "LOCKED 1"])
            #expect(rig.notes == [])
        }
    }

    @Test("A late answer is reported, unless a later command was handed over")
    func lateAnswer() throws {
        try ChannelRig.run { rig in
            try rig.send(1, deadline: .seconds(1))
            try await rig.pass(.seconds(2))
            #expect(rig.answer(1, .unlocked))
            try rig.send(2)
            #expect(!rig.answer(1, .unlocked))
            #expect(rig.channel.commandInFlight == ChannelRig.command(2))
            rig.answer(2, .locked)
            #expect(!rig.answer(1, .unlocked))
            #expect(rig.heard == ["UNLOCKED 1", "LOCKED 2"])
        }
    }

    // MARK: - Delivery

    @Test("The next command can be sent inside `receive`, and its answer is delivered after the current report")
    func orderInsideReceive() throws {
        try ChannelRig.run { rig in
            rig.onReport { report in
                guard report.after == ChannelRig.command(1), (try? rig.send(2)) != nil else { return }
                rig.answer(2, .locked)
                rig.note("\(rig.heard.count) heard inside receive")
            }
            try rig.send(1)
            rig.answer(1, .unlocked)
            #expect(rig.heard == ["UNLOCKED 1", "LOCKED 2"])
            #expect(rig.notes == ["1 heard inside receive at 0"])
        }
    }

    @Test("Concurrent reports are delivered once each, one at a time")
    func concurrentReports() throws {
        try ChannelRig.run { rig in
            let inside = Count()
            let overlaps = Count()
            rig.onReport { _ in
                if inside.add(1) > 1 { overlaps.add(1) }
                inside.add(-1)
            }
            DispatchQueue.concurrentPerform(iterations: 64) { _ in rig.report(.locked) }
            #expect(overlaps.add(0) == 0)
            #expect(rig.heard.count == 64)
        }
    }

    // MARK: - Opening and closing

    @Test("A closed channel rejects commands and reports nothing, and closing gives up the command in flight")
    func closed() throws {
        try ChannelRig.run { rig in
            try rig.send(1)
            rig.channel.close()
            #expect(rig.notes == ["gave up 1 at 0"])
            #expect(!rig.channel.isOpen)
            #expect(throws: AdapterError.offline) { try rig.send(2) }
            rig.report(.locked)
            #expect(!rig.answer(1, .unlocked))
            try await rig.pass(.seconds(60))
            #expect(rig.heard == [])
            #expect(rig.notes == ["gave up 1 at 0"])
        }
    }

    @Test("A channel that is opened again delivers the reports from then on")
    func openedAgain() throws {
        try ChannelRig.run { rig in
            rig.channel.close()
            rig.report(.locked)
            rig.channel.open(to: rig)
            rig.report(.unlocked)
            try rig.send(1)
            rig.answer(1, .unlocked)
            #expect(rig.heard == ["UNLOCKED -", "UNLOCKED 1"])
        }
    }

    // MARK: - Transports with delayed responses

    @Test("A delayed response confirms its own command; giving up a command cancels its request")
    func answersLater() throws {
        try ChannelRig.run { rig in
            let bridge = PlayedBridge(rig)
            try bridge.send(1, answerAfter: .seconds(4))
            try await rig.pass(.seconds(5))
            try bridge.send(2, answerAfter: .seconds(30))
            try await rig.pass(.seconds(11))
            try bridge.send(3, answerAfter: .seconds(1))
            try await rig.pass(.seconds(60))
            #expect(rig.heard == ["UNLOCKED 1", "UNLOCKED 3"])
            #expect(rig.notes == ["1 done at 4", "2 cancelled at 15", "3 done at 17"])
        }
    }
}

/// A bridge with an HTTP API: a request takes some time, and its response is the lock's answer.
private struct PlayedBridge: Sendable {
    let rig: ChannelRig

    init(_ rig: ChannelRig) { self.rig = rig }

    func send(_ number: UInt64, answerAfter time: Duration) throws(AdapterError) {
        let request = Request()
        try rig.channel.send(rig.order(number), onGivenUp: { request.cancel() }) {
            request.start(on: rig.executor) { [rig] in
                do {
                    try await rig.pass(time)
                    rig.note("\(number) done")
                    rig.answer(number, .unlocked)
                } catch {
                    rig.note("\(number) cancelled")
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

private final class Count: Sendable {
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
