import DoorwardDomain
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("The demo's screen while the gateway is not available") struct DemoBoardTests {
    /// Refuses every stream with an error after which it is not opened again.
    private struct RefusingTransport: LiveTransport {
        let error: DoorwardError

        func renew() async throws {}
        func open(_ request: StreamRequest, receive: @escaping @Sendable ([UInt8]) async -> Void) async throws { throw error }
        func put(_ name: String, _ subscription: StreamSubscription, stream: String) async throws { throw error }
        func delete(_ name: String, stream: String) async throws { throw error }
    }

    @Test(
        "after the stream has ended for good, the screen states since when and why it is not live, and what to do",
        arguments: [
            (.sessionEnded, "the owner's session has ended"),
            (.unusable("certificate not trusted\u{1B}[2J"), "certificate not trusted␛[2J"),
        ] as [(DoorwardError, String)])
    func ended(error: DoorwardError, reason: String) async {
        let (live, board) = (Live(transport: RefusingTransport(error: error)), DemoBoard())
        #expect(board.notice(.live, at: "Mon 07:42") == [])
        await board.watchLocks(live) { $0 }
        let notice = ["Not live since Mon 07:42: \(reason)", "Press q and start the demo again"]
        #expect(board.notice(live.status, at: "Mon 07:42") == notice)
        #expect(board.notice(live.status, at: "Mon 09:15") == notice, "since the first time")
    }

    @Test("while the gateway does not answer, the screen states that it connects again; once it is live, it states nothing")
    func stale() {
        let board = DemoBoard()
        let stale = LiveStatus.stale(since: Doorward.Instant(milliseconds: 0))
        #expect(board.notice(stale, at: "Mon 07:42") == ["Not live: the gateway does not answer; connecting again"])
        #expect(board.notice(.live, at: "Mon 07:43") == [])
    }

    @Test("each reason is a sentence for a person")
    func reasons() {
        let refusal = DoorwardError.Refusal(status: 403, code: "forbidden", message: "This needs the role OWNER.")
        for (error, reason) in [
            (DoorwardError.revoked, "the owner may not see this any more"), (.notSignedIn, "the owner's session has ended"),
            (.refused(refusal), "This needs the role OWNER."), (.notConnected("no connection"), "no connection"),
            (.timedOut, "the live stream has ended"),
        ] {
            #expect(DemoBoard.reason(error) == reason)
        }
        #expect(DemoBoard.reason(CancellationError()) == "the live stream has ended")
    }
}
