import DoorwardClientTesting
import Observation
import Testing

@testable import DoorwardClient

typealias Device = Doorward.LockDevice

extension Need {
    static let doors = Need.devices(.property("q"))
}

extension Device {
    static func named(_ id: String, _ name: String) -> Device { Device(id: id, name: name) }
}

/// A client with a scripted gateway and a virtual clock.
struct LiveRig {
    let stream = ScriptedStream()
    let clock = VirtualLiveClock()
    let live: Live

    init(random: Double = 0.5) { live = Live(scripted: stream, clock: clock, random: { random }) }

    /// Opens the stream, with these objects for a need.
    func open(_ objects: [Device], for need: Need = .doors) async {
        await stream.open()
        await stream.snapshot(need, objects)
    }

    /// Waits until the client has this number of names.
    func settle(names count: Int) async {
        while await live.nameCount != count { await Task.yield() }
    }

    func status(_ expected: LiveStatus) async {
        for await status in live.statuses where status == expected { return }
    }
}

/// Collects what a sequence emits, beginning at once.
struct Watcher<Value: Sendable> {
    private var iterator: AsyncStream<Result<Watched<Value>, any Error>>.Iterator

    init(_ sequence: WatchSequence<Value>) {
        let (stream, continuation) = AsyncStream<Result<Watched<Value>, any Error>>.makeStream()
        Task {
            do { for try await watched in sequence { continuation.yield(.success(watched)) } } catch {
                continuation.yield(.failure(error))
            }
            continuation.finish()
        }
        iterator = stream.makeAsyncIterator()
    }

    mutating func next() async throws -> Watched<Value>? { try await iterator.next(isolation: #isolation)?.get() }
}

@Suite struct LiveTests {
    // MARK: - Watching

    @Test func aWatchIsWholeFirstAndThenTheNewest() async throws {
        let rig = LiveRig()
        var iterator = Watcher(rig.live.watch(LiveQuery<Device>.property("q")))
        await rig.stream.open()
        await rig.stream.snapshot(.doors, [Device.named("b", "B")], last: false)
        await rig.stream.snapshot(.doors, [Device.named("a", "A")])
        var watched = try await iterator.next()
        #expect(watched?.value.map(\.id) == ["a", "b"] && watched?.source == .server && watched?.isStale == false)

        await rig.stream.change([.doors], Device.named("c", "C"))
        watched = try await iterator.next()
        #expect(watched?.value.map(\.id) == ["a", "b", "c"])
        await rig.stream.removed([.doors], "a")
        watched = try await iterator.next()
        #expect(watched?.value.map(\.id) == ["b", "c"])
    }

    /// A name is complete only with `ready`; a change that arrives before it is not lost.
    @Test func changesDuringASnapshotAreKept() async throws {
        let rig = LiveRig()
        let handle = try await rig.live.subscribe("board", to: LiveQuery<Device>.property("q"))
        await rig.stream.open()
        await rig.stream.snapshot(.doors, [Device.named("a", "old"), .named("b", "B")], last: false)
        await rig.stream.change([.doors], Device.named("a", "new"))
        await rig.stream.removed([.doors], "b")
        #expect(await handle.objects().isEmpty)
        await rig.stream.ready(.doors)
        #expect(await handle.objects() == [.named("a", "new")])
    }

    @Test func equalDataEmitsNothing() async throws {
        let rig = LiveRig()
        var iterator = Watcher(rig.live.watch("a", in: LiveQuery<Device>.property("q")))
        await rig.open([.named("a", "A"), .named("b", "B")])
        #expect(try await iterator.next()?.value.name == "A")
        await rig.stream.change([.doors], Device.named("a", "A"))
        await rig.stream.change([.doors], Device.named("b", "other door"))
        await rig.stream.reset(.doors)
        await rig.stream.snapshot(.doors, [Device.named("a", "A"), .named("b", "B")])
        await rig.stream.change([.doors], Device.named("a", "A2"))
        #expect(try await iterator.next()?.value.name == "A2")
    }

    @Test func whatCountsAsAChangeCanBeChosen() async throws {
        let rig = LiveRig()
        let byState = ChangeDetection<Device>.by { $0.state }
        var iterator = Watcher(rig.live.watch("a", in: LiveQuery<Device>.property("q"), changes: byState))
        await rig.open([.named("a", "A")])
        #expect(try await iterator.next()?.value.name == "A")
        await rig.stream.change([.doors], Device.named("a", "renamed"))
        var device = Device.named("a", "renamed again")
        device.state = .locked
        await rig.stream.change([.doors], device)
        #expect(try await iterator.next()?.value.name == "renamed again")
    }

    @Test func anObjectThatDoesNotExistEndsItsWatch() async throws {
        let rig = LiveRig()
        var iterator = Watcher(rig.live.watch("z", in: LiveQuery<Device>.property("q")))
        await rig.open([.named("a", "A")])
        await #expect(throws: DoorwardError.notLoaded) { _ = try await iterator.next() }
        await rig.settle(names: 0)
    }

    // MARK: - Names

    @Test func aThousandWatchersShareOneName() async throws {
        let rig = LiveRig()
        var tasks: [Task<String?, any Error>] = []
        for _ in 0..<1000 {
            tasks.append(
                Task {
                    for try await door in rig.live.watch("a", in: LiveQuery<Device>.property("q")) { return door.value.name }
                    return nil
                })
        }
        await rig.open([.named("a", "A")])
        #expect(rig.stream.subscriptions == [.doors])
        for task in tasks { #expect(try await task.value == "A") }
        await rig.settle(names: 0)
        await rig.stream.waitForClosing()
        #expect(rig.stream.openings == 1 && rig.live.status == .idle)
    }

    @Test func namesOfAnOpenStreamAreAddedAndRemoved() async throws {
        let rig = LiveRig()
        let first = try await rig.live.subscribe("doors", to: LiveQuery<Device>.property("q"))
        await rig.open([.named("a", "A")])
        let second = try await rig.live.subscribe("units", to: LiveQuery<Doorward.Unit>.property("q"))
        await rig.stream.waitForSubscriptions([.doors, .units(.property("q"))])
        await rig.stream.snapshot(.units(.property("q")), [Doorward.Unit(id: "u", name: "U")])
        #expect(await second.objects().map(\.id) == ["u"])
        await first.cancel()
        await rig.stream.waitForSubscriptions([.units(.property("q"))])
        await rig.stream.change([.units(.property("q"))], Doorward.Unit(id: "u", name: "V"))
        #expect(await second.objects().map(\.name) == ["V"], "the other view's data stays")
        #expect(rig.stream.openings == 1)
        #expect(rig.stream.log == ["open", "put unit", "delete device"])
    }

    @Test func namesAreAdditiveAndReplacingIsExplicit() async throws {
        let rig = LiveRig()
        let first = try await rig.live.subscribe("board", to: LiveQuery<Device>.property("q"))
        await #expect(throws: DoorwardError.nameInUse("board")) {
            try await rig.live.subscribe("board", to: LiveQuery<Device>.property("r"))
        }
        let same = try await rig.live.subscribe("board", to: LiveQuery<Device>.property("q"))
        let replaced = try await rig.live.subscribe("board", to: LiveQuery<Device>.property("r"), replacing: true)
        await first.cancel()
        await same.cancel()
        await rig.settle(names: 1)
        await replaced.cancel()
        await rig.settle(names: 0)
        _ = try await rig.live.subscribe("board", to: LiveQuery<Doorward.Unit>.all)
    }

    @Test func aReleasedSubscriptionEnds() async throws {
        let rig = LiveRig()
        do {
            let handle = try await rig.live.subscribe("board", to: LiveQuery<Device>.property("q"))
            #expect(handle.query == .property("q"))
        }
        await rig.settle(names: 0)
    }

    @Test func subscribingWaitsUntilReadyOrForTheTime() async throws {
        let rig = LiveRig()
        async let ready = rig.live.subscribe(
            "board", to: LiveQuery<Device>.property("q"), wait: .untilReady(timeout: .seconds(5)))
        await rig.open([.named("a", "A")])
        let handle = try await ready
        #expect(await handle.objects().count == 1)

        async let late = rig.live.subscribe("units", to: LiveQuery<Doorward.Unit>.all, wait: .untilReady(timeout: .seconds(5)))
        await rig.stream.waitForSubscriptions([.doors, .units()])
        while !rig.clock.deadlines.contains(.seconds(5)) { await Task.yield() }
        rig.clock.advance(by: .seconds(5))
        do {
            _ = try await late
            Issue.record("the time is over")
        } catch { #expect(error as? DoorwardError == .timedOut) }
        await handle.cancel()
    }

    @Test func addingAndDroppingAtRandomLeavesNothingBehind() async throws {
        let rig = LiveRig()
        let base = try await rig.live.subscribe("base", to: LiveQuery<Device>.property("q"))
        await rig.open([.named("a", "A")])
        var held: [LiveSubscription<Device>] = []
        var random = SystemRandomNumberGenerator()
        for step in 0..<2000 {
            if Int.random(in: 0..<10, using: &random) < 5 || held.isEmpty {
                held.append(try await rig.live.subscribe("n\(step)", to: .property("p\(step % 7)")))
            } else {
                await held.remove(at: Int.random(in: 0..<held.count, using: &random)).cancel()
            }
            if step % 50 == 0 { await rig.stream.change([.doors], Device.named("a", "A\(step)")) }
        }
        for handle in held { await handle.cancel() }
        await rig.stream.waitForSubscriptions([.doors])
        #expect(await rig.live.nameCount == 1)
        #expect(await base.objects().map(\.name) == ["A1950"])
    }

    // MARK: - Rights

    @Test func aRevokedNameEndsAndCanBeginAgain() async throws {
        let rig = LiveRig()
        let (doors, units) = (LiveQuery<Device>.property("q"), LiveQuery<Doorward.Unit>.all)
        let handle = try await rig.live.subscribe("doors", to: doors)
        let other = try await rig.live.subscribe("units", to: units)
        await rig.stream.open()
        await rig.stream.snapshot(.doors, [Device.named("a", "A")])
        await rig.stream.snapshot(.units(), [Doorward.Unit(id: "u", name: "U")])
        var iterator = rig.live.watch(doors).makeAsyncIterator()
        #expect(try await iterator.next()?.value.count == 1)
        await rig.stream.revoked(.doors)
        await #expect(throws: DoorwardError.revoked) { _ = try await iterator.next() }
        #expect(await handle.objects().isEmpty)
        #expect(await other.objects().count == 1)

        await rig.stream.snapshot(.doors, [Device.named("b", "B")])
        #expect(await handle.objects().map(\.id) == ["b"])
    }

    @Test func aRefusedNameDoesNotTouchTheOthers() async throws {
        let rig = LiveRig()
        let doors = try await rig.live.subscribe("doors", to: LiveQuery<Device>.property("q"))
        let permissions = try await rig.live.subscribe("mine", to: LiveQuery<CallerAbilities>.all)
        await rig.stream.open()
        await rig.stream.refused(LiveQuery<CallerAbilities>.all.need, code: "forbidden")
        await rig.stream.snapshot(.doors, [Device.named("a", "A")])
        await #expect(throws: DoorwardError.refused(.init(status: 403, code: "forbidden"))) {
            try await permissions.ready(timeout: .seconds(1))
        }
        try await doors.ready(timeout: .seconds(1))
    }

    @Test func aQueryThatTheGatewayDoesNotUnderstandFailsAlone() async throws {
        let rig = LiveRig()
        var refusal = DoorwardError.Refusal(status: 400, code: "invalid_request")
        refusal.fields = ["subscriptions.device-2.query": "unknown"]
        rig.stream.failNextOpening(.refused(refusal))
        let good = try await rig.live.subscribe("good", to: LiveQuery<Device>.property("q"))
        let bad = try await rig.live.subscribe("bad", to: LiveQuery<Device>(filters: ["colour": "red"]))
        await rig.stream.waitForOpenings(1)
        await rig.clock.waitForSleepers(2)
        rig.clock.advance(by: .seconds(1))
        await rig.open([.named("a", "A")])
        await #expect(throws: DoorwardError.refused(refusal)) { try await bad.ready(timeout: .seconds(1)) }
        #expect(await good.objects().count == 1 && rig.stream.subscriptions == [.doors])
    }

    // MARK: - Cache

    @Test func aViewThatReturnsShowsTheCacheFirst() async throws {
        let rig = LiveRig()
        let keep = try await rig.live.subscribe("keep", to: LiveQuery<Doorward.Unit>.all)
        let first = try await rig.live.subscribe("doors", to: LiveQuery<Device>.property("q"))
        await rig.open([.named("a", "A")])
        await first.cancel()
        await rig.stream.waitForSubscriptions([.units()])

        var iterator = rig.live.watch(LiveQuery<Device>.property("q")).makeAsyncIterator()
        let cached = try await iterator.next()
        #expect(cached?.source == .cache && cached?.value.map(\.id) == ["a"])
        await rig.stream.waitForSubscriptions([.units(), .doors])
        await rig.stream.snapshot(.doors, [Device.named("b", "B")])
        let fresh = try await iterator.next()
        #expect(fresh?.source == .server && fresh?.value.map(\.id) == ["b"])
        await keep.cancel()
    }

    @Test func afterTheSignOutNothingOfThePersonIsLeft() async throws {
        let rig = LiveRig()
        let first = try await rig.live.subscribe("doors", to: LiveQuery<Device>.property("q"))
        let held = try await rig.live.subscribe("others", to: LiveQuery<Device>.property("r"))
        await rig.stream.open()
        await rig.stream.snapshot(.doors, [Device.named("a", "A")])
        await rig.stream.snapshot(.devices(.property("r")), [Device.named("b", "B")])
        await first.cancel()
        await rig.live.engine.forget()
        await rig.stream.waitForClosing()
        #expect(await held.objects().isEmpty && rig.live.status == .ended(.notSignedIn))
        var iterator = rig.live.watch(LiveQuery<Device>.property("q")).makeAsyncIterator()
        await #expect(throws: DoorwardError.notSignedIn) { _ = try await iterator.next() }
        await rig.live.engine.restart()
        await rig.stream.open()
        #expect(rig.stream.resumedFrom == nil)
        await rig.stream.snapshot(.devices(.property("r")), [Device.named("c", "C")])
        #expect(await held.objects().map(\.id) == ["c"])
    }
}
