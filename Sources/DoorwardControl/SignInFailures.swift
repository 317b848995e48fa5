internal import DoorwardDomain
import Synchronization

/// Records failed sign-ins: the first failure of each account and network immediately, further ones
/// as one summary per minute with their number.
///
/// Under any load at most `maxPairs` first records and `maxPairs` + 1 summaries are written per
/// minute. Failures beyond these limits are counted in the last summary.
final class SignInFailures: Sendable {
    /// An account and a network, whose failures are summarised together.
    private struct Pair: Hashable {
        let account: String?
        let network: String?
    }

    private struct Repeated {
        let target: RecordTarget?
        let source: RecordSource
        /// The number of failures that are not recorded yet.
        var count: Int64
    }

    private struct Table {
        var pairs: [Pair: Repeated] = [:]
        /// The number of failures of pairs that exceeded `maxPairs`.
        var others: Int64 = 0
        var timer: Task<Void, Never>?
        var isClosed = false
    }

    /// The maximum number of pairs of account and network that are tracked at the same time.
    static let maxPairs = 60
    private static let period = Duration.seconds(60)

    private let storeGuard: StoreGuard
    private let clock: any GatewayClock
    private let random: RandomSource
    private let executor: (any TaskExecutor)?
    private let table = Mutex(Table())

    init(storeGuard: StoreGuard, clock: any GatewayClock, random: RandomSource, executor: (any TaskExecutor)?) {
        (self.storeGuard, self.clock, self.random, self.executor) = (storeGuard, clock, random, executor)
    }

    /// Counts a failure, and makes the record durable if it is the first of its account and network.
    ///
    /// - Parameters:
    ///   - account: the email address of the account that was tried, or the address as entered; `nil` if the attempt names none.
    ///   - user: the user whose account was tried, if there is one.
    func record(_ origin: RequestOrigin, account: String?, user: User?) async throws(GatewayError) {
        let pair = Pair(
            account: account?.lowercased(), network: origin.clientAddress.map { SignInThrottle.network(of: $0) })
        let target = user.map { RecordTarget($0) }
        guard begins(pair, target, origin.source) else { return }
        do {
            try await storeGuard.write(StoreTransaction(records: [first(of: origin, target)]))
        } catch {
            table.withLock { $0.pairs[pair]?.count += 1 }
            throw error
        }
    }

    /// Writes the summaries of failures that are not recorded yet, and stops the timer.
    func close() async throws(GatewayError) {
        let timer = table.withLock { table in
            table.isClosed = true
            return table.timer
        }
        timer?.cancel()
        try await writeSummaries()
    }

    private func begins(_ pair: Pair, _ target: RecordTarget?, _ source: RecordSource) -> Bool {
        table.withLock { table in
            if table.timer == nil, !table.isClosed { table.timer = timer() }
            if table.pairs[pair] != nil {
                table.pairs[pair]?.count += 1
                return false
            }
            guard table.pairs.count < Self.maxPairs else {
                table.others += 1
                return false
            }
            table.pairs[pair] = Repeated(target: target, source: source, count: 0)
            return true
        }
    }

    /// Writes the summaries every minute for as long as there are failures.
    private func timer() -> Task<Void, Never> {
        Task(executorPreference: executor) { [weak self, clock] in
            repeat {
                do { try await clock.sleep(until: clock.monotonicNow().advanced(by: Self.period)) } catch { return }
                // A failed write is repeated in a minute; the counts are kept.
                try? await self?.writeSummaries()
            } while self?.goesOn() ?? false
        }
    }

    private func goesOn() -> Bool {
        table.withLock { table in
            guard table.pairs.isEmpty, table.others == 0 else { return true }
            table.timer = nil
            return false
        }
    }

    /// Writes the summaries. A pair that failed again within the minute stays tracked, so that its next failures are counted too.
    private func writeSummaries() async throws(GatewayError) {
        let (pairs, others) = table.withLock { table -> ([Pair: Repeated], Int64) in
            let pairs = table.pairs.filter { $0.value.count > 0 }
            let others = table.others
            table.pairs = pairs.mapValues { Repeated(target: $0.target, source: $0.source, count: 0) }
            table.others = 0
            return (pairs, others)
        }
        var records = pairs.map { summary($0.value.count, $0.value.target, $0.key.network, $0.value.source) }
        if others > 0 { records.append(summary(others, nil, nil, .gateway)) }
        guard !records.isEmpty else { return }
        do {
            try await storeGuard.write(StoreTransaction(records: records))
        } catch {
            table.withLock { table in
                table.others += others
                for (pair, repeated) in pairs {
                    let later = table.pairs[pair]?.count ?? 0
                    table.pairs[pair] = Repeated(target: repeated.target, source: repeated.source, count: repeated.count + later)
                }
            }
            throw error
        }
    }

    // MARK: - Records

    /// A failed sign-in does not authenticate a user: the account that was tried is the target, and the actor is unknown.
    private func first(of origin: RequestOrigin, _ target: RecordTarget?) -> PendingRecord {
        var body = body(target, origin.source)
        (body.clientAddress, body.requestID) = (origin.clientAddress, origin.requestID)
        return PendingRecord(body)
    }

    private func summary(
        _ failures: Int64, _ target: RecordTarget?, _ network: String?, _ source: RecordSource
    ) -> PendingRecord {
        var body = body(target, source)
        body.clientAddress = network
        body.details["failures"] = .integer(failures)
        return PendingRecord(body)
    }

    private func body(_ target: RecordTarget?, _ source: RecordSource) -> RecordBody {
        let now = clock.now()
        var body = RecordBody(
            log: .gateway, id: random.id(at: now), at: now, kind: .session, actor: .outside, source: source, event: .signInFailed)
        body.target = target
        return body
    }
}
