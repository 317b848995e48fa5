internal import DoorwardDomain
internal import DoorwardPolicy

/// The use cases of the gateway's clock: reading its state, and accepting its time.
package struct ClockCare: Sendable {
    let directory: CurrentDirectory
    let storeGuard: StoreGuard
    let windows: WindowTimer
    let clock: TrustedClock
    let random: RandomSource

    /// The state of the clock.
    ///
    /// - Throws: `.denied` unless the caller is a super admin.
    package func status(for caller: Caller) throws(GatewayError) -> ClockStatus {
        try require(caller)
        return clock.status
    }

    /// Confirms that the wall clock is right after a step forward, so that it is trusted again. Does nothing if it is trusted. The
    /// acceptance is recorded in the gateway's log.
    ///
    /// - Parameter loweringMark: whether the high-water mark is lowered if it is wrong, as after a start with a clock years ahead.
    /// - Throws: `.denied`; `.conflict` if the clock is below the mark, which is not lowered, or steps meanwhile; `.unavailable`.
    package func accept(_ caller: Caller, loweringMark: Bool) async throws(GatewayError) -> ClockStatus {
        try require(caller)
        let offer = clock.acceptance()
        guard !offer.isNeedless else { return clock.status }
        guard loweringMark || !offer.isBelowMark else { throw .conflict(Self.belowMark(offer)) }
        try await storeGuard.write(
            StoreTransaction(
                clock: [offer.isBelowMark ? .setMark(offer.at) : .raiseMark(offer.at), .setUnconfirmed(nil)],
                records: [record(of: offer, by: caller)]))
        guard clock.confirm(offer, loweringMark: loweringMark) else {
            throw .conflict("The clock changed while it was being accepted; look at its state and accept it again.")
        }
        windows.noteChangeOfTrust()
        return clock.status
    }

    private static func belowMark(_ offer: TrustedClock.Acceptance) -> String {
        "The clock shows \(offer.at), which is before the latest trusted time, \(offer.mark). Set the clock of the gateway's "
            + "machine right; it is trusted again 60 seconds later. If the latest trusted time is wrong, accept the clock with "
            + "`lowerMark`."
    }

    private func require(_ caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
    }

    private func record(of offer: TrustedClock.Acceptance, by caller: Caller) -> PendingRecord {
        PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: offer.at), at: offer.at, kind: .gateway,
                actor: RecordActor(of: caller, in: directory.current), source: caller.origin.source,
                clientAddress: caller.origin.clientAddress, requestID: caller.origin.requestID, event: .clockStep,
                details: [
                    "change": .string("trust_regained"), "by": .string(ClockConfirmation.accepted.rawValue),
                    "mark": .string(offer.mark.description), "after": .string(offer.at.description),
                    "hasLoweredMark": .bool(offer.isBelowMark),
                ]))
    }
}
