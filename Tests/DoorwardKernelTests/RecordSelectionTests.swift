import DoorwardDomain
import DoorwardKernel
import Testing

/// Which records scopes and filters select: the reference that the conformance checks of the stores compare with.
@Suite struct RecordSelectionTests {
    private static let (portfolio, other) = (PortfolioID(high: 1, low: 1), PortfolioID(high: 1, low: 2))
    private static let (property, unit, device) = (
        PropertyID(high: 2, low: 1), UnitID(high: 3, low: 1), DeviceID(high: 4, low: 1)
    )
    private static let (ann, at) = (UserID(high: 5, low: 1), Timestamp(milliseconds: 1000))
    private static let (earlier, later) = (Timestamp(milliseconds: 999), Timestamp(milliseconds: 1001))

    /// A denial in the unit, in a log.
    private static func denial(in log: LogID) -> RecordBody {
        RecordBody(
            log: log, id: RecordID(high: 6, low: 1), at: at, kind: .denial,
            actor: RecordActor(kind: .user, id: "ann", userID: ann), source: .api, operation: .unlock, decision: .denied,
            reason: .noAssociation,
            device: DeviceSnapshot(deviceID: device, unitID: unit, propertyID: property, portfolioID: portfolio))
    }

    @Test(
        "A scope covers records of its own log only, and a unit those from its beginning on",
        arguments: [
            (.gatewayLog, false, true), (.portfolioLog(portfolio), true, false), (.portfolioLog(other), false, false),
            (.property(property, in: portfolio), true, false), (.property(property, in: other), false, false),
            (.property(PropertyID(high: 2, low: 2), in: portfolio), false, false),
            (.unit(unit, in: portfolio, from: at), true, false), (.unit(unit, in: portfolio, from: later), false, false),
            (.unit(unit, in: other, from: earlier), false, false),
            (.unit(UnitID(high: 3, low: 2), in: portfolio, from: earlier), false, false),
        ] as [(RecordScope, Bool, Bool)])
    func scopes(scope: RecordScope, ofPortfolio: Bool, ofGateway: Bool) {
        #expect(scope.covers(Self.denial(in: .portfolio(Self.portfolio))) == ofPortfolio)
        #expect(scope.covers(Self.denial(in: .gateway)) == ofGateway)
    }

    @Test(
        "A filter passes records with all of its values; places match in the logs of portfolios only",
        arguments: [
            (RecordFilter(), true, true), (RecordFilter(deviceID: device), true, true),
            (RecordFilter(deviceID: DeviceID(high: 4, low: 2)), false, false), (RecordFilter(unitID: unit), true, false),
            (RecordFilter(propertyID: property), true, false), (RecordFilter(log: .gateway), false, true),
            (RecordFilter(actorUserID: ann), true, true), (RecordFilter(actorUserID: UserID(high: 5, low: 2)), false, false),
            (RecordFilter(kind: .denial, decision: .denied), true, true), (RecordFilter(kind: .commandIntent), false, false),
            (RecordFilter(operation: .lock), false, false), (RecordFilter(decision: .allowed), false, false),
            (RecordFilter(reason: .userDisabled), false, false), (RecordFilter(outcome: .confirmed), false, false),
            (RecordFilter(from: at), true, true), (RecordFilter(from: later), false, false),
            (RecordFilter(until: at), false, false), (RecordFilter(from: earlier, until: later), true, true),
        ])
    func filters(filter: RecordFilter, ofPortfolio: Bool, ofGateway: Bool) {
        #expect(filter.passes(Self.denial(in: .portfolio(Self.portfolio))) == ofPortfolio)
        #expect(filter.passes(Self.denial(in: .gateway)) == ofGateway)
    }
}
