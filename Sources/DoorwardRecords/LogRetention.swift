internal import DoorwardAudit
internal import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy
import FoundationEssentials
internal import Logging
import Synchronization

/// Removes the records of portfolios' logs whose retention has ended, and finishes erasures that could not be finished at once.
///
/// A record is removed in the night (UTC) after it became `days` days old, so that records of a log are removed once a day. The removal is
/// done in slices: each is one transaction with its record `RETENTION_CUT`, and between two slices other writes have their turn. Nothing is
/// removed under a legal hold, nor while the clock is not trusted.
package final class LogRetention: Sendable {
    /// The maximum number of records that one transaction removes.
    static let recordsPerSlice: UInt64 = 500
    /// The pause between two slices.
    static let pause = Duration.milliseconds(50)
    /// How often the logs are looked at.
    static let interval = Duration.seconds(600)
    /// The maximum number of attempts, a second apart, to empty the write-ahead log after a removal.
    static let maxFinishes = 20

    private let kernel: Kernel
    /// Whether erased or removed content may still be in the files of the store.
    private let isFinishingDue = Mutex(false)

    package init(_ kernel: Kernel) { self.kernel = kernel }

    /// Works at intervals until the task is cancelled.
    package func run() async {
        while true {
            await removeExpired()
            guard await kernel.clock.pause(Self.interval) else { return }
        }
    }

    /// Destroys the keys of erased persons outside the store too. If old pages of the store are still in use, they are removed
    /// later.
    ///
    /// - Throws: `.unavailable` if the keys cannot be destroyed now; `run` tries again.
    func finishErasures() async throws(GatewayError) {
        isFinishingDue.withLock { $0 = true }
        let isComplete = try await mappingStoreErrors(await kernel.storeGuard.maintenance.finishErasures())
        if isComplete { isFinishingDue.withLock { $0 = false } }
    }

    /// Removes all records whose retention has ended, of each portfolio in turn.
    func removeExpired() async {
        for portfolio in kernel.directory.current.portfolioIDs {
            do {
                while try await removeSlice(of: portfolio) {
                    try await kernel.clock.sleep(until: kernel.clock.monotonicNow().advanced(by: Self.pause))
                }
            } catch is CancellationError {
                return
            } catch {
                kernel.logger.warning(
                    "expired records could not be removed; this is tried again",
                    metadata: ["portfolio": "\(portfolio)", "reason": "\(error)"])
            }
        }
        // Reads are short, but while exports run, there is nearly always one in progress, so several attempts are needed.
        for _ in 0..<Self.maxFinishes where isFinishingDue.withLock(\.self) {
            guard (try? await finishErasures()) != nil else { return }
            guard isFinishingDue.withLock(\.self) else { return }
            guard await kernel.clock.pause(.seconds(1)) else { return }
        }
    }

    /// Removes the oldest expired records of one portfolio's log.
    ///
    /// - Returns: whether there are more.
    private func removeSlice(of id: PortfolioID) async throws -> Bool {
        guard kernel.storeGuard.isAcceptingCommands, kernel.clock.observe().isTrusted else { return false }
        guard let portfolio = kernel.directory.current.portfolio(id), let days = portfolio.retention.days,
            !portfolio.retention.legalHold
        else { return false }
        let (log, now) = (LogID.portfolio(id), kernel.clock.now())
        let limit = Self.limit(now, days: days)
        guard let (first, end) = try await expired(of: id, before: limit), first < end else { return false }
        let until = min(end, first + Self.recordsPerSlice)
        let root = try await LogProofs(log: kernel.storeGuard.log).root(of: log, size: until)
        var transaction = StoreTransaction(
            // A legal hold, another retention or the end of the portfolio since then refuses the removal.
            requires: [.unchanged(since: .putPortfolio(portfolio))], truncations: [LogTruncation(log: log, firstSeq: until)])
        transaction.records = [record(of: portfolio, first..<until, days, limit, root, at: now)]
        guard try await commit(transaction) else { return false }
        isFinishingDue.withLock { $0 = true }
        return until < end
    }

    /// - Returns: false if the portfolio was changed meanwhile.
    private func commit(_ transaction: StoreTransaction) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            try await kernel.storeGuard.commit(transaction)
            return true
        } catch .refused(.entityChanged) {
            return false
        }
    }

    /// The first instant whose records are kept: the beginning of the day (UTC) that is `days` before today.
    static func limit(_ now: Timestamp, days: Int) -> Timestamp {
        let day: Int64 = 86_400_000
        return Timestamp(milliseconds: (now.milliseconds.flooredQuotient(by: day) - Int64(days)) * day)
    }

    /// The numbers of the first record that is left and of the first one that is not expired; `nil` for a log without records,
    /// and if this cannot be found in one read.
    private func expired(of id: PortfolioID, before limit: Timestamp) async throws -> (first: UInt64, end: UInt64)? {
        guard let range = try await kernel.storeGuard.log.range(of: .portfolio(id), from: 0, limit: 1),
            range.firstSeq < range.size
        else { return nil }
        // The filter's start is found by a binary search.
        let kept = RecordQuery(scopes: [.portfolioLog(id)], filter: RecordFilter(from: limit), order: .oldestFirst, limit: 1)
        let page = try await kernel.storeGuard.log.page(kept)
        if let seq = page.records.first?.seq { return (range.firstSeq, seq) }
        return page.next == nil ? (range.firstSeq, range.size) : nil
    }

    private func record(
        of portfolio: Portfolio, _ removed: Range<UInt64>, _ days: Int, _ limit: Timestamp, _ root: [UInt8]?, at now: Timestamp
    ) -> PendingRecord {
        var details: [String: RecordValue] = [
            "fromSeq": .integer(Int64(clamping: removed.lowerBound)), "untilSeq": .integer(Int64(clamping: removed.upperBound)),
            "before": .string(limit.description), "days": .integer(Int64(days)),
        ]
        details["root"] = root.map { .string(Data($0).base64EncodedString()) }
        return PendingRecord(
            .retentionCut, in: .portfolio(portfolio.id), id: kernel.random.id(at: now), at: now,
            path: EntityPathIDs(portfolioID: portfolio.id), details: details)
    }
}
