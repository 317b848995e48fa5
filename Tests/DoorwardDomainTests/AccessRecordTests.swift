import DoorwardDomain
import Testing

@Suite struct AccessRecordTests {
    private static let portfolio = PortfolioID(high: 1, low: 1)
    private static let property = PropertyID(high: 1, low: 2)
    private static let unit = UnitID(high: 1, low: 3)
    private static let at = Timestamp(milliseconds: 1_700_000_000_000)

    private func body(device: DeviceSnapshot? = nil, path: EntityPathIDs? = nil) -> RecordBody {
        RecordBody(
            log: .gateway, id: RecordID(high: 1, low: 9), at: Self.at, kind: .adminChange, actor: .gateway, source: .gateway,
            device: device, path: path)
    }

    @Test("A log's id is `gateway` or a portfolio's id, and can be printed and parsed")
    func logs() {
        #expect(LogID.gateway.description == "gateway")
        #expect(LogID.portfolio(Self.portfolio).description == Self.portfolio.description)
        for log in [LogID.gateway, .portfolio(Self.portfolio)] { #expect(LogID(log.description) == log) }
        #expect(LogID.gateway.portfolioID == nil)
        #expect(LogID.portfolio(Self.portfolio).portfolioID == Self.portfolio)
    }

    @Test(
        "Any other text is not a log id",
        arguments: [
            "", "Gateway", "GATEWAY", "gateway ", " gateway", "gateways", "portfolio", "00000000-0000-0001-0000-00000000000",
            "00000000-0000-0001-0000-00000000000G", "gateway/00000000-0000-0001-0000-000000000001", "*", "%",
        ])
    func noLog(text: String) { #expect(LogID(text) == nil) }

    @Test("A record about a device has the place of the device, even if another place is given")
    func devicePlace() {
        let device = DeviceSnapshot(
            deviceID: DeviceID(high: 1, low: 4), unitID: nil, propertyID: Self.property, portfolioID: Self.portfolio)
        let elsewhere = EntityPathIDs(unitID: Self.unit, propertyID: PropertyID(high: 7, low: 7), portfolioID: nil)
        let record = body(device: device, path: elsewhere)
        #expect(record.unitID == nil, "the device belongs to no unit, even though the place names one")
        #expect(record.propertyID == Self.property)
        #expect(record.portfolioID == Self.portfolio)
    }

    @Test("A record without a device has its own place; without either it has none")
    func place() {
        let record = body(path: EntityPathIDs(unitID: Self.unit, propertyID: Self.property, portfolioID: Self.portfolio))
        #expect(record.unitID == Self.unit)
        #expect(record.propertyID == Self.property)
        #expect(record.portfolioID == Self.portfolio)
        #expect(body().unitID == nil)
        #expect(body().propertyID == nil)
        #expect(body().portfolioID == nil)
    }

    @Test("A device snapshot keeps the device's name and place of that moment")
    func snapshot() {
        var device = LockDevice(
            id: DeviceID(high: 1, low: 4), name: "Front door", adapter: "simulator", portfolioID: Self.portfolio,
            propertyID: Self.property, unitID: Self.unit, capabilities: .all, createdAt: Self.at, updatedAt: Self.at)
        let snapshot = DeviceSnapshot(device)
        (device.name, device.unitID) = ("Back door", nil)
        #expect(
            snapshot
                == DeviceSnapshot(
                    deviceID: device.id, deviceName: "Front door", unitID: Self.unit, propertyID: Self.property,
                    portfolioID: Self.portfolio))
        #expect(DeviceSnapshot(device).deviceName == "Back door")
        #expect(DeviceSnapshot(device).unitID == nil)
    }

    @Test("Fields that are not set are nil or empty")
    func silence() {
        let record = body()
        #expect(record.operation == nil && record.decision == nil && record.reason == nil && record.rule == nil)
        #expect(record.clientAddress == nil && record.requestID == nil && record.device == nil && record.commandID == nil)
        #expect(record.outcome == nil && record.outcomeDetail == nil && record.latencyMs == nil)
        #expect(record.stateBefore == nil && record.stateAfter == nil)
        #expect(record.statedReason == nil && record.override == nil)
        #expect(record.event == nil && record.method == nil && record.action == nil && record.target == nil)
        #expect(record.details.isEmpty)
    }

    @Test("Each value of a record is stored in its own field")
    func fields() {
        let rule = Rule.guestAccess(GuestAccessID(high: 1, low: 6))
        let record = RecordBody(
            log: .portfolio(Self.portfolio), id: RecordID(high: 1, low: 5), at: Self.at, kind: .commandOutcome,
            actor: RecordActor(kind: .guestLink, id: "7"), source: .guestLink, operation: .unlatch, decision: .allowed,
            reason: .guestWindowEnded, rule: rule, clientAddress: "192.0.2.1", requestID: "r-1",
            commandID: CommandID(high: 1, low: 8), outcome: .timedOut, outcomeDetail: "detail", stateBefore: .locked,
            stateAfter: .jammed, latencyMs: 1234, statedReason: "stated", override: "override", event: .doorForced,
            method: .fob, action: .move, target: RecordTarget(type: "Unit", id: "9"), details: ["a": .integer(1)])
        #expect(record.log == .portfolio(Self.portfolio) && record.id.low == 5 && record.at == Self.at)
        #expect(record.kind == .commandOutcome && record.actor.id == "7" && record.source == .guestLink)
        #expect(record.operation == .unlatch && record.decision == .allowed && record.reason == .guestWindowEnded)
        #expect(record.rule == rule)
        #expect(record.clientAddress == "192.0.2.1" && record.requestID == "r-1" && record.commandID?.low == 8)
        #expect(record.outcome == .timedOut && record.outcomeDetail == "detail")
        #expect(record.stateBefore == .locked && record.stateAfter == .jammed && record.latencyMs == 1234)
        #expect(record.statedReason == "stated" && record.override == "override")
        #expect(record.event == .doorForced && record.method == .fob && record.action == .move)
        #expect(record.target?.type == "Unit" && record.target?.id == "9" && record.details == ["a": .integer(1)])
    }

    @Test("A personal value without an owner, one with an owner, a withheld value and a plain string are different")
    func values() {
        let person = UserID(high: 1, low: 7)
        let values: [RecordValue] = [
            .null, .bool(false), .integer(0), .string(""), .string("Ada"), .array([]), .object([:]),
            .personal("Ada", person: person), .personal("Ada", person: nil), .personal("", person: person), .withheld,
        ]
        #expect(Set(values).count == values.count)
    }

    @Test("Records are equal only if their number and their content are equal")
    func identity() {
        let first = AccessRecord(seq: 0, body: body())
        #expect(first == AccessRecord(seq: 0, body: body()))
        #expect(first != AccessRecord(seq: 1, body: body()))
        var other = body()
        other.details["a"] = .null
        #expect(first != AccessRecord(seq: 0, body: other))
    }
}
