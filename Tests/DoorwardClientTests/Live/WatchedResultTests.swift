import DoorwardClientTesting
import Observation
import Testing

@testable import DoorwardClient

@Suite @MainActor struct WatchedResultTests {
    /// Waits until an observed condition holds.
    private func until(_ condition: @escaping @MainActor () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                withObservationTracking {
                    _ = condition()
                } onChange: {
                    Task { @MainActor in continuation.resume() }
                }
            }
        }
    }

    @Test func nothingToWatchIsIdle() {
        let result = WatchedResult<Device>()
        #expect(result.value == nil && result.error == nil && !result.isLoading && result.source == nil && !result.isStale)
    }

    /// Loading → server → stale → recovered → an error that keeps the value.
    @Test func theStatesOfAResult() async throws {
        let rig = LiveRig()
        let result = WatchedResult(watching: rig.live.watch("a", in: LiveQuery<Device>.property("q")))
        #expect(result.isLoading && result.value == nil && result.source == nil)
        await rig.open([.named("a", "A")])
        await until { result.value != nil }
        #expect(!result.isLoading && result.source == .server && result.error == nil)

        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(45))
        await until { result.isStale }
        #expect(result.value?.name == "A")
        let deadline = rig.clock.uptime + .milliseconds(250)
        while !rig.clock.deadlines.contains(deadline) { await Task.yield() }
        rig.clock.advance(by: .milliseconds(250))
        await rig.stream.open(resumed: true)
        await until { !result.isStale }

        await rig.stream.change([.doors], Device.named("a", "A2"))
        await until { result.value?.name == "A2" }
        await rig.stream.revoked(.doors)
        await until { result.error != nil }
        #expect(result.error == .revoked && result.value?.name == "A2" && !result.isLoading)
    }

    @Test func anErrorBeforeTheFirstValueEndsTheLoading() async {
        let rig = LiveRig()
        rig.stream.failNextOpening(.sessionEnded)
        let result = WatchedResult(watching: rig.live.watch(LiveQuery<Device>.all))
        await until { result.error != nil }
        #expect(result.error == .sessionEnded && !result.isLoading && result.value == nil)
    }

    @Test func theCacheIsShownWhileLoading() async throws {
        let rig = LiveRig()
        let keep = try await rig.live.subscribe("keep", to: LiveQuery<Doorward.Unit>.all)
        let first = try await rig.live.subscribe("doors", to: LiveQuery<Device>.property("q"))
        await rig.open([.named("a", "A")])
        await first.cancel()
        let result = WatchedResult(watching: rig.live.watch("a", in: LiveQuery<Device>.property("q")))
        await until { result.value != nil }
        #expect(result.source == .cache && result.isLoading)
        await rig.stream.snapshot(.doors, [Device.named("a", "A2")])
        await until { result.source == .server }
        #expect(result.value?.name == "A2" && !result.isLoading)
        await keep.cancel()
    }

    /// A view that reads the name of one door is drawn again by its change, and by that of no other door.
    @Test func onlyChangesOfTheObjectNotify() async throws {
        let rig = LiveRig()
        let result = WatchedResult(watching: rig.live.watch("a", in: LiveQuery<Device>.property("q")))
        await rig.open([.named("a", "A"), .named("b", "B")])
        await until { result.value != nil }
        let changes = Changes { _ = result.value }
        await rig.stream.change([.doors], Device.named("b", "B2"))
        await rig.stream.change([.doors], Device.named("a", "A"))
        #expect(changes.count == 0)
        await rig.stream.change([.doors], Device.named("a", "A2"))
        await until { result.value?.name == "A2" }
        #expect(changes.count == 1)
    }

    @Test func aResultThatIsDroppedEndsItsSubscription() async {
        let rig = LiveRig()
        var result: WatchedResult<[Device]>? = WatchedResult(watching: rig.live.watch(LiveQuery<Device>.property("q")))
        weak let weakResult = result
        await rig.open([.named("a", "A")])
        await until { result?.value != nil }
        result = nil
        await rig.settle(names: 0)
        #expect(weakResult == nil)
    }

    @Test func theStatusOfTheConnectionIsObservable() async throws {
        let rig = LiveRig()
        let changes = Changes { _ = rig.live.status }
        let handle = try await rig.live.subscribe("doors", to: LiveQuery<Device>.property("q"))
        await rig.status(.connecting)
        #expect(changes.count == 1)
        await handle.cancel()
    }
}
