internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// The filters of a list of access records, read from a query.
struct RecordFilterQuery {
    /// `nil` if no record can match: two filters name different logs.
    private(set) var filter: RecordFilter? = RecordFilter()
    /// The time that the query names, also if no record can match.
    private(set) var (from, until): (Timestamp?, Timestamp?)
    /// The canonical form of the filters, which does not depend on their order in the query. A cursor is bound to this form.
    private(set) var canonical = ""

    /// - Parameter device: the device in the path, if the request is for the records of one lock.
    init(_ query: inout QueryReader, device: DeviceID? = nil) {
        narrow(device ?? query.id("deviceId"), "deviceId") { $0.deviceID = $1 }
        narrow(query.id("unitId"), "unitId") { $0.unitID = $1 }
        narrow(query.id("propertyId"), "propertyId") { $0.propertyID = $1 }
        narrow(query.id("portfolioId"), "portfolioId") { (filter, id: PortfolioID) in filter.narrow(to: .portfolio(id)) }
        narrow(query.text("logId").map { LogID($0) ?? .portfolio(.nonexistent) }, "logId") { (filter, id: LogID) in
            filter.narrow(to: id)
        }
        narrow(query.id("userId"), "userId") { $0.actorUserID = $1 }
        narrow(&query, "kind", of: RecordKind.allCases) { $0.kind = $1 }
        narrow(&query, "operation", of: LockOperation.allCases) { $0.operation = $1 }
        narrow(&query, "decision", of: RecordDecision.allCases) { $0.decision = $1 }
        narrow(&query, "reason", of: DenialReason.allCases) { $0.reason = $1 }
        narrow(&query, "outcome", of: CommandState.allCases.filter(\.isEnd)) { $0.outcome = $1 }
        (from, until) = (query.instant("from"), query.instant("until"))
        narrow(from, "from") { $0.from = $1 }
        narrow(until, "until") { $0.until = $1 }
    }

    /// Applies one filter, if the query contains it.
    private mutating func narrow<Value: CustomStringConvertible>(
        _ value: Value?, _ name: String, _ put: (inout RecordFilter, Value) -> Bool
    ) {
        guard let value else { return }
        canonical += "/\(name)=\(value)"
        guard var narrowed = filter else { return }
        filter = put(&narrowed, value) ? narrowed : nil
    }

    private mutating func narrow<Word: RawRepresentable<String>>(
        _ query: inout QueryReader, _ name: String, of words: [Word], _ put: (inout RecordFilter, Word) -> Void
    ) {
        guard let word = query.word(name, of: words) else { return }
        narrow(word.rawValue, name) { (filter, _) in put(&filter, word) }
    }

    private mutating func narrow<Value: CustomStringConvertible>(
        _ value: Value?, _ name: String, _ put: (inout RecordFilter, Value) -> Void
    ) {
        narrow(value, name) { (filter, value) -> Bool in
            put(&filter, value)
            return true
        }
    }
}

extension RecordFilter {
    /// - Returns: false if an earlier filter requires another log, as no record is in two logs.
    fileprivate mutating func narrow(to log: LogID) -> Bool {
        defer { self.log = log }
        return self.log == nil || self.log == log
    }
}
