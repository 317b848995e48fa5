import DoorwardDomain
import DoorwardKernel
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardRecords

/// Records of one log, numbered in their order.
private struct Script {
    var seq: UInt64 = 0
    let log = LogID.portfolio(PortfolioID(high: 1, low: 1))
    let property = PropertyID(high: 2, low: 1)

    func device(_ number: UInt64) -> DeviceSnapshot {
        DeviceSnapshot(
            deviceID: DeviceID(high: 3, low: number), deviceName: "Door \(number)", propertyID: property,
            portfolioID: log.portfolioID)
    }

    mutating func record(
        _ kind: RecordKind, at seconds: Int64, device number: UInt64 = 1, by user: UInt64? = 1,
        _ change: (inout RecordBody) -> Void
    ) -> AccessRecord {
        let actor = user.map { RecordActor(kind: .user, id: "\($0)", name: "User \($0)", userID: UserID(high: 4, low: $0)) }
        var body = RecordBody(
            log: log, id: RecordID(high: 5, low: seq), at: Timestamp(milliseconds: seconds * 1000), kind: kind,
            actor: actor ?? .gateway, source: .api, device: device(number))
        change(&body)
        defer { seq += 1 }
        return AccessRecord(seq: seq, body: body)
    }

    mutating func event(_ event: RecordEvent, at seconds: Int64, device: UInt64 = 1) -> AccessRecord {
        record(.deviceEvent, at: seconds, device: device, by: nil) { $0.event = event }
    }

    mutating func outcome(
        _ operation: LockOperation, _ state: CommandState, at seconds: Int64, device: UInt64 = 1, by user: UInt64? = 1,
        detail: String? = nil
    ) -> AccessRecord {
        record(.commandOutcome, at: seconds, device: device, by: user) {
            ($0.operation, $0.outcome, $0.outcomeDetail) = (operation, state, detail)
        }
    }
}

private func figures(_ seconds: Range<Int64> = 0..<1000, parts: Int = 10, caps: ComplianceFigures.Caps = .init())
    -> ComplianceFigures
{
    let (from, until) = (seconds.lowerBound * 1000, seconds.upperBound * 1000)
    let step = (until - from) / Int64(parts)
    let limits = (0..<Int64(parts)).map { Timestamp(milliseconds: from + $0 * step) } + [Timestamp(milliseconds: until)]
    return ComplianceFigures(
        period: Timestamp(milliseconds: from)..<Timestamp(milliseconds: until), limits: limits, caps: caps)
}

@Suite struct ComplianceFiguresTests {
    @Test("outcomes are counted by operation, person, lock and part of the period, and only inside the period")
    func outcomes() throws {
        var (script, figures) = (Script(), figures(100..<200))
        for record in [
            script.outcome(.unlock, .confirmed, at: 99), script.outcome(.unlock, .confirmed, at: 100),
            script.outcome(.lock, .confirmed, at: 109, by: 2), script.outcome(.unlatch, .timedOut, at: 110, device: 2),
            script.outcome(.unlock, .unknown, at: 199), script.outcome(.unlock, .confirmed, at: 200),
            script.outcome(.lock, .denied, at: 199, detail: "lockdown_active"),
        ] { figures.add(record) }
        #expect(figures.recordCount == 5 && figures.seqs == 1...6)
        #expect(figures.openedCount == 1 && figures.commandCount(.confirmed) == 2)
        #expect(figures.commandCount(.failed, .timedOut, .unknown) == 2 && figures.deniedCount == 1)
        #expect(figures.denials == [.lockdownActive: 1])
        #expect(figures.buckets.map(\.confirmed) == [2, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(figures.buckets.map(\.failed) == [0, 1, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(figures.buckets[9].denied == 1)
        let first = try #require(figures.people.values.first { $0.key.id == "1" }?.value)
        #expect(first.opened == 1 && first.failed == 2 && first.denied == 1 && first.name == "User 1")
        #expect(first.first == Timestamp(milliseconds: 100_000) && first.last == Timestamp(milliseconds: 199_000))
        #expect(figures.devices.values[DeviceID(high: 3, low: 2)]?.failed == 1)
    }

    @Test("an outage lasts from its record to the next one, also over the limits of the period")
    func outages() throws {
        var (script, figures) = (Script(), figures())
        for record in [
            // Was offline when the period began.
            script.event(.online, at: 100), script.event(.offline, at: 200), script.event(.offline, at: 250),
            script.event(.online, at: 300), script.event(.online, at: 310),
            // Is offline when it ends.
            script.event(.offline, at: 900, device: 2),
        ] { figures.add(record) }
        figures.finish(at: Timestamp(milliseconds: 950_000))
        let (one, two) = (figures.devices.values[DeviceID(high: 3, low: 1)], figures.devices.values[DeviceID(high: 3, low: 2)])
        #expect(one?.outages == 2 && one?.offlineMilliseconds == 200_000)
        #expect(two?.outages == 1 && two?.offlineMilliseconds == 50_000)
        #expect(figures.incidents.rows.map(\.hadBegun) == [true, false, false])
        #expect(figures.incidents.rows.map { $0.from.milliseconds / 1000 } == [0, 200, 900])
        #expect(figures.incidents.rows.map { $0.until.map { $0.milliseconds / 1000 } } == [100, 300, nil])
    }

    @Test("a jam ends with the next movement of the bolt, and is one jam until then")
    func jams() throws {
        var (script, figures) = (Script(), figures())
        for record in [
            script.outcome(.lock, .failed, at: 10, detail: "jammed"), script.event(.jammed, at: 11),
            script.outcome(.lock, .failed, at: 12, detail: "jammed"), script.outcome(.lock, .failed, at: 13, detail: "busy"),
            script.event(.unlocked, at: 20), script.event(.jammed, at: 30), script.outcome(.lock, .confirmed, at: 40),
            script.event(.jammed, at: 50, device: 2), script.event(.tamper, at: 60), script.event(.doorOpened, at: 61),
        ] { figures.add(record) }
        #expect(figures.devices.values.values.map(\.jams).sorted() == [1, 2])
        #expect(figures.incidents.rows.map(\.event) == [.jammed, .jammed, .jammed, .tamper])
        #expect(figures.incidents.rows.map { $0.until.map { $0.milliseconds / 1000 } } == [20, 40, nil, nil])
        #expect(figures.commandCount(.failed) == 3 && figures.byHandCount == 1)
    }

    @Test("a lock that is offline and reported nothing in the period was offline for all of it")
    func silence() throws {
        var world = TenancyFixture(seed: 3)
        let portfolio = world.portfolio("P")
        let property = world.property("H", in: portfolio)
        let id = world.device("Cellar", in: .property(property))
        let device = try #require(world.directory.device(id))
        var figures = figures()
        figures.noteSilence(of: device, until: Timestamp(milliseconds: 400_000))
        figures.noteSilence(of: device, until: Timestamp(milliseconds: 400_000))
        figures.finish(at: Timestamp(milliseconds: 400_000))
        #expect(figures.devices.values[id]?.outages == 1 && figures.devices.values[id]?.offlineMilliseconds == 400_000)
        #expect(figures.incidents.count == 1 && figures.incidents.rows.first?.seq == nil)
    }

    @Test("an override is counted once for a command, also with a second intent")
    func overrides() throws {
        var (script, figures) = (Script(), figures())
        for number in [1, 1, 2] as [UInt64] {
            figures.add(
                script.record(.commandIntent, at: 5) { body in
                    (body.commandID, body.override) = (CommandID(high: 6, low: number), "Fire")
                })
        }
        figures.add(script.record(.commandIntent, at: 6) { $0.commandID = CommandID(high: 6, low: 3) })
        #expect(figures.overrides == 2 && figures.overrideRows.count == 2)
    }

    @Test("a second intent is not counted either if other overrides came in between, or the list is full")
    func overridesInBetween() throws {
        var caps = ComplianceFigures.Caps()
        caps.rows = 3
        var (script, figures) = (Script(), figures(caps: caps))
        for number in Array(1...100) + Array(1...100) as [UInt64] {
            figures.add(
                script.record(.commandIntent, at: 5) { body in
                    (body.commandID, body.override) = (CommandID(high: 6, low: number), "Fire")
                })
        }
        #expect(figures.overrides == 100 && figures.overrideRows.count == 100 && figures.overrideRows.rows.count == 3)
    }

    @Test("the memory is bounded: rows and keys are capped, everything is counted, and what is left out is known")
    func caps() throws {
        var caps = ComplianceFigures.Caps()
        (caps.rows, caps.keys) = (10, 5)
        var (script, figures) = (Script(), figures(0..<100_000, caps: caps))
        for number in 0..<5000 {
            let (at, other) = (Int64(number), UInt64(number))
            figures.add(script.outcome(.unlock, .confirmed, at: at, device: other, by: other))
            figures.add(
                script.record(.denial, at: at, device: other, by: other) {
                    ($0.operation, $0.reason) = (.lock, .roleInsufficient)
                })
            figures.add(script.record(.adminChange, at: at) { $0.action = .update })
            figures.add(script.event(.offline, at: at, device: other))
        }
        figures.finish(at: Timestamp(milliseconds: 100_000_000))
        #expect(figures.recordCount == 20_000 && figures.openedCount == 5000 && figures.denials == [.roleInsufficient: 5000])
        #expect(figures.denialRows.rows.count == 10 && figures.denialRows.count == 5000 && figures.denialRows.omitted == 4990)
        #expect(figures.denialRows.rows.map(\.seq) == stride(from: 1, to: 41, by: 4).map { UInt64($0) })
        #expect(figures.changeRows.rows.count == 10 && figures.changeRows.count == 5000)
        #expect(figures.people.values.count == 5 && figures.people.uncounted == 9990)
        #expect(figures.devices.values.count == 5 && figures.devices.uncounted > 0)
        #expect(figures.incidents.rows.count <= 10)
        #expect(figures.buckets.map(\.confirmed).reduce(0, +) == 5000)
    }
}
