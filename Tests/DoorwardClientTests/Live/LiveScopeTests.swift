import DoorwardClientTesting
import Testing

@testable import DoorwardClient

/// The model of a view that declares what it reads.
struct DoorBoard: DataNeeds {
    var needs: [Need] { [.doors, .units(.property("q"))] }

    func lines(_ scope: LiveScope) async throws -> [String] {
        let units = try await scope.all(LiveQuery<Doorward.Unit>.property("q"))
        return try await scope.all(LiveQuery<Device>.property("q")).map { door in
            "\(door.name) \(units.first { $0.id == door.unitId }?.name ?? "-")"
        }
    }
}

/// The same, with a read that it has not declared.
struct CarelessBoard: DataNeeds {
    var needs: [Need] { [.doors] }

    func lines(_ scope: LiveScope) async throws -> [String] { try await DoorBoard().lines(scope) }
}

@Suite struct LiveScopeTests {
    private func opened(_ rig: LiveRig, _ needs: [Need]) async throws -> LiveScope {
        let scope = await rig.live.open(needs)
        await rig.stream.open()
        if !needs.isEmpty { await rig.stream.snapshot(.doors, [Device.named("a", "A")]) }
        return scope
    }

    @Test func aScopeSubscribesToExactlyTheNeeds() async throws {
        let rig = LiveRig()
        let scope = try await opened(rig, DoorBoard().needs)
        await rig.stream.snapshot(.units(.property("q")), [Doorward.Unit(id: "u", name: "U")])
        try await scope.ready(timeout: .seconds(5))
        #expect(rig.stream.subscriptions == [.doors, .units(.property("q"))])
        #expect(try await DoorBoard().lines(scope) == ["A -"])
        #expect(scope.undeclaredReads.isEmpty)
        await scope.close()
        await rig.settle(names: 0)
    }

    @Test func aViewThatReadsWhatItDidNotDeclareFails() async throws {
        let rig = LiveRig()
        let scope = try await opened(rig, CarelessBoard().needs)
        let other = try await rig.live.subscribe("another view has it", to: LiveQuery<Doorward.Unit>.property("q"))
        await #expect(throws: DoorwardError.undeclared(.units(.property("q")))) { try await CarelessBoard().lines(scope) }
        await #expect(throws: DoorwardError.undeclared(Need(type: .unit, filters: ["id": "u"]))) {
            try await scope.require("u", Doorward.Unit.self)
        }
        await #expect(throws: DoorwardError.undeclared(.devices())) { try await scope.all(LiveQuery<Device>.all) }
        #expect(scope.undeclaredReads.count == 3)
        await other.cancel()
        await scope.close()
    }

    @Test func requiringAnObjectNeverCrashes() async throws {
        let rig = LiveRig()
        let scope = try await opened(rig, [.doors])
        #expect(try await scope.require("a", Device.self).name == "A")
        await #expect(throws: DoorwardError.notLoaded) { try await scope.require("z", Device.self) }
        await scope.close()
        await #expect(throws: DoorwardError.notLoaded) { try await scope.require("a", Device.self) }
    }

    @Test func aScopeEndsWithItsBodyHoweverItEnds() async throws {
        let rig = LiveRig()
        let count = try await rig.live.withSubscriptions([.doors, .doors]) { scope in
            await rig.open([.named("a", "A")])
            return try await scope.all(LiveQuery<Device>.property("q")).count
        }
        #expect(count == 1)
        await rig.settle(names: 0)
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await rig.live.withSubscriptions(StreamType.allCases.map { Need(type: $0) }) { _ in
                #expect(await rig.live.nameCount == StreamType.allCases.count)
                throw Failure()
            }
        }
        await rig.settle(names: 0)
    }

    @Test func aScopeIsNotReadyWithoutItsData() async throws {
        let rig = LiveRig()
        let scope = try await opened(rig, [.doors])
        try await scope.ready(timeout: .seconds(1))
        let late = await rig.live.open([.portfolios()])
        let waiting = Task { try await late.ready(timeout: .seconds(3)) }
        while !rig.clock.deadlines.contains(.seconds(3)) { await Task.yield() }
        rig.clock.advance(by: .seconds(3))
        await #expect(throws: DoorwardError.timedOut) { try await waiting.value }
        await scope.close()
        await late.close()
        await rig.settle(names: 0)
    }

    @Test func queriesAreEncodedAsTheAPITakesThem() {
        let query = LiveQuery<Device>.property("a b/ü&=").with("batteryBelow", "20").with("adapter", "mqtt")
        #expect(query.need.query == "adapter=mqtt&batteryBelow=20&propertyId=a%20b%2F%C3%BC%26%3D")
        #expect("\(query.need)" == "device?\(query.need.query)" && "\(Need.commands())" == "command")
        #expect(LiveQuery<Device>.unit("u").with("unitId", "v") == .unit("v"))
    }
}
