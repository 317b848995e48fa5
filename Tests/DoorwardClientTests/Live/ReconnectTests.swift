import DoorwardClientTesting
import Testing

@testable import DoorwardClient

@Suite struct ReconnectTests {
    /// A client that has a name, with an open stream.
    private func opened(_ rig: LiveRig) async throws -> LiveSubscription<Device> {
        let handle = try await rig.live.subscribe("doors", to: LiveQuery<Device>.property("q"))
        await rig.open([.named("a", "A")])
        return handle
    }

    /// Waits for the pause before the next attempt, and lets it pass. The watchdog sleeps, too.
    private func passPause(_ rig: LiveRig, _ pause: Duration) async {
        let deadline = rig.clock.uptime + pause
        while !rig.clock.deadlines.contains(deadline) { await Task.yield() }
        rig.clock.advance(by: pause)
    }

    @Test func renewsBeforeItResumes() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        rig.stream.disconnect()
        await passPause(rig, .milliseconds(250))
        await rig.stream.open(resumed: true)
        #expect(rig.stream.log == ["open", "renew", "open"])
        #expect(rig.stream.resumedFrom == "e3")
        #expect(rig.live.status == .live)
        #expect(await handle.objects() == [.named("a", "A")], "what was resumed is still here")
        await rig.stream.change([.doors], Device.named("a", "A2"))
        #expect(await handle.objects() == [.named("a", "A2")])
    }

    /// A name whose request was lost would never receive anything on this stream.
    @Test(arguments: [DoorwardError.noResponse("broken"), .refused(.init(status: 503, code: "unavailable"))])
    func aNameWhoseRequestIsLostOpensTheStreamAnew(error: DoorwardError) async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        rig.stream.failNextName(error)
        let units = try await rig.live.subscribe("units", to: LiveQuery<Doorward.Unit>.property("q"))
        await passPause(rig, .milliseconds(250))
        await rig.stream.open(resumed: false)
        await rig.stream.snapshot(.units(.property("q")), [Doorward.Unit(id: "u", name: "U")])
        #expect(await units.objects().map(\.id) == ["u"])
        #expect(rig.stream.log == ["open", "put unit", "renew", "open"])
        await handle.cancel()
    }

    @Test func aNameBeyondTheLimitFailsAlone() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        let limit = DoorwardError.refused(.init(status: 429, code: "rate_limited"))
        rig.stream.failNextName(limit)
        let units = try await rig.live.subscribe("units", to: LiveQuery<Doorward.Unit>.property("q"))
        await #expect(throws: limit) { try await units.ready(timeout: .seconds(60)) }
        await rig.stream.change([.doors], Device.named("a", "A2"))
        #expect(await handle.objects() == [.named("a", "A2")])
        #expect(rig.stream.openings == 1 && rig.live.status == .live)
    }

    @Test func whatCannotBeResumedIsReplaced() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        rig.stream.disconnect()
        await passPause(rig, .milliseconds(250))
        await rig.stream.open(resumed: false)
        await rig.stream.reset(.doors)
        #expect(await handle.objects() == [.named("a", "A")], "until the new data is complete")
        await rig.stream.snapshot(.doors, [Device.named("b", "B")])
        #expect(await handle.objects() == [.named("b", "B")])
    }

    /// Full jitter: 0.5 s, doubled with each attempt, at most 30 s; and short again after a minute of life.
    @Test func pausesGrowAndBeginAnew() async throws {
        let rig = LiveRig(random: 1 / 2)
        let handle = try await opened(rig)
        for _ in 0..<7 { rig.stream.failNextOpening(.notConnected("connection refused")) }
        rig.stream.disconnect()
        for bound in [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000] { await passPause(rig, .milliseconds(bound / 2)) }
        await rig.stream.open(resumed: true)
        for _ in 0..<3 {
            rig.clock.advance(by: .seconds(15))
            await rig.stream.position()
        }
        rig.clock.advance(by: .seconds(14))
        rig.stream.disconnect()
        await passPause(rig, .seconds(15))
        await rig.stream.open(resumed: true)
        for _ in 0..<4 {
            rig.clock.advance(by: .seconds(15))
            await rig.stream.position()
        }
        rig.stream.disconnect()
        await passPause(rig, .milliseconds(250))
        await rig.stream.open(resumed: true)
        await handle.cancel()
    }

    @Test func theJitterIsSpreadOverTheWholeBound() {
        #expect(LiveTiming.delay(attempt: 0, random: 0) == .zero)
        #expect(LiveTiming.delay(attempt: 0, random: 0.999) < .milliseconds(500))
        #expect(LiveTiming.delay(attempt: 3, random: 0.5) == .seconds(2))
        #expect(LiveTiming.delay(attempt: 1_000_000, random: 0.5) == .seconds(15))
    }

    @Test func closingStatesWhenToReturn() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        await rig.stream.close(reason: "shutting_down", retryAfterMilliseconds: 4000)
        await passPause(rig, .milliseconds(4250))
        await rig.stream.open(resumed: true)
        await handle.cancel()
    }

    @Test func aRateLimitStatesWhenToReturn() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        var refusal = DoorwardError.Refusal(status: 429, code: "rate_limited")
        refusal.retryAfter = 7
        rig.stream.failNextOpening(.refused(refusal))
        rig.stream.disconnect()
        await passPause(rig, .milliseconds(250))
        await passPause(rig, .milliseconds(7500))
        await rig.stream.open(resumed: true)
        await handle.cancel()
    }

    // MARK: - Silence

    @Test func silenceMakesStaleAndReconnects() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        var iterator = rig.live.watch(LiveQuery<Device>.property("q")).makeAsyncIterator()
        #expect(try await iterator.next()?.isStale == false)
        let since = rig.clock.now
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(44))
        #expect(rig.live.status == .live)
        rig.clock.advance(by: .seconds(1))
        await rig.status(.stale(since: since))
        let stale = try await iterator.next()
        #expect(stale?.isStale == true && stale?.value.map(\.name) == ["A"], "the value stays")
        await passPause(rig, .milliseconds(250))
        await rig.stream.open(resumed: true)
        #expect(rig.live.status == .live)
        #expect(try await iterator.next()?.isStale == false)
        await handle.cancel()
    }

    /// An opening that is accepted and never answered must not be waited for.
    @Test func anOpeningThatHangsIsTriedAgain() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(45))
        await passPause(rig, .milliseconds(250))
        await rig.stream.waitForOpenings(2)
        let hung = rig.clock.uptime + .seconds(45)
        while !rig.clock.deadlines.contains(hung) { await Task.yield() }
        rig.clock.advance(by: .seconds(45))
        await passPause(rig, .milliseconds(500))
        await rig.stream.waitForOpenings(3)
        await rig.stream.open(resumed: true)
        #expect(rig.live.status == .live)
        await handle.cancel()
    }

    @Test func heartbeatsKeepTheConnectionAndNeverWakeTheClient() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        await rig.clock.waitForSleepers(1)
        for _ in 0..<40 {
            rig.clock.advance(by: .seconds(15))
            await rig.stream.position()
        }
        #expect(rig.live.status == .live && rig.stream.openings == 1)
        #expect(rig.clock.wakeUps == 0, "ten minutes of an idle client")
        // What sleeps waits for the connection to be silent for too long, and this clock counts it when it wakes.
        while !rig.clock.deadlines.contains(rig.clock.uptime + .seconds(45)) { await Task.yield() }
        rig.clock.advance(by: .seconds(45))
        #expect(rig.clock.wakeUps > 0)
        await handle.cancel()
    }

    // MARK: - Waking

    @Test func wakingShortensThePause() async throws {
        let rig = LiveRig(random: 0.9)
        let handle = try await opened(rig)
        for _ in 0..<6 { rig.stream.failNextOpening(.notConnected("no route")) }
        rig.stream.disconnect()
        for pause in [450, 900, 1800, 3600, 7200, 14_400] { await passPause(rig, .milliseconds(pause)) }
        await rig.stream.waitForOpenings(7)
        let long = rig.clock.uptime + .seconds(27)
        while !rig.clock.deadlines.contains(long) { await Task.yield() }
        await rig.live.wake()
        await passPause(rig, .milliseconds(900))
        await rig.stream.open(resumed: true)
        await handle.cancel()
    }

    @Test func wakingReplacesAConnectionThatHasBeenSilent() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        await rig.live.wake()
        #expect(rig.stream.openings == 1)
        rig.clock.advance(by: .seconds(21))
        await rig.live.wake()
        await rig.stream.waitForClosing()
        await passPause(rig, .milliseconds(250))
        await rig.stream.open(resumed: true)
        #expect(rig.stream.openings == 2)
        await handle.cancel()
    }

    // MARK: - The end

    @Test(arguments: [DoorwardError.sessionEnded, .notSignedIn, .refused(.init(status: 403, code: "forbidden"))])
    func theEndOfTheSessionIsFinal(_ error: DoorwardError) async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        var iterator = rig.live.watch(LiveQuery<Device>.property("q")).makeAsyncIterator()
        _ = try await iterator.next()
        rig.stream.failNextRenewal(error)
        await rig.stream.close(reason: "session_ended", retryAfterMilliseconds: 0)
        await passPause(rig, .milliseconds(250))
        await rig.status(.ended(error))
        while let element = try? await iterator.next() { #expect(element.isStale) }
        await #expect(throws: error) { try await handle.ready(timeout: .seconds(1)) }
        #expect(rig.stream.openings == 1, "and is not tried again")
        await rig.live.wake()
        #expect(rig.stream.openings == 1)
    }

    @Test func errorsThatPassAreNoEnd() {
        for error in [
            DoorwardError.notConnected(""), .noResponse(""), .timedOut, .refused(.init(status: 503, code: "unavailable")),
        ] {
            #expect(error.isTransient)
        }
        for error in [DoorwardError.notSignedIn, .sessionEnded, .revoked, .notLoaded, .refused(.init(status: 403, code: "x"))] {
            #expect(!error.isTransient)
        }
    }

    // MARK: - What cannot be read

    @Test(arguments: [
        #"{"names":["device-1"],"type":"device","object":{"id":5}}"#, #"{"names":["device-1"],"type":"device"}"#,
    ])
    func anObjectOfAnotherFormEndsItsName(_ data: String) async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        let units = try await rig.live.subscribe("units", to: LiveQuery<Doorward.Unit>.all)
        await rig.stream.snapshot(.units(), [Doorward.Unit(id: "u", name: "U")])
        await rig.stream.send("change", data)
        await #expect(throws: DoorwardError.unreadable("an object of device")) { try await handle.ready(timeout: .seconds(1)) }
        await rig.stream.change([.units()], Doorward.Unit(id: "u", name: "V"))
        #expect(await units.objects().map(\.name) == ["V"] && rig.stream.openings == 1)
    }

    @Test(arguments: [("change", "not json"), ("ready", "[]"), ("snapshot", "")])
    func anUnreadableEventBeginsAnew(_ type: String, _ data: String) async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        await rig.stream.send(type, data)
        await rig.stream.waitForClosing()
        await passPause(rig, .milliseconds(250))
        await rig.stream.open()
        #expect(rig.stream.resumedFrom == nil, "not from the position of what could not be read")
        await rig.stream.snapshot(.doors, [Device.named("b", "B")])
        #expect(await handle.objects() == [.named("b", "B")])
    }

    @Test func unknownEventsAndNamesAreIgnored() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        await rig.stream.send("weather", #"{"sunny":true}"#)
        await rig.stream.send("change", #"{"names":["foreign"],"type":"device","object":{"id":"x","name":"X"}}"#)
        await rig.stream.send("removed", #"{"names":["foreign"],"type":"device","id":"a"}"#)
        await rig.stream.send("revoked", #"{"name":"foreign"}"#)
        #expect(await handle.objects() == [.named("a", "A")] && rig.stream.openings == 1)
    }

    @Test func eventsMayArriveInAnyPieces() async throws {
        let rig = LiveRig()
        let handle = try await opened(rig)
        let text =
            "id: x\r\nevent: change\r\ndata: {\"names\":[\"device-1\"],\"type\":\"device\",\r\ndata: \"object\":{\"id\":\"é\",\"name\":\"Ü\"}}\r\n\r\n"
        for byte in text.utf8 { await rig.stream.send(bytes: [byte]) }
        #expect(await handle.objects() == [.named("a", "A"), .named("é", "Ü")])
    }
}
