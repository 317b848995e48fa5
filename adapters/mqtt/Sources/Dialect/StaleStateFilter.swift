internal import DoorwardDomain

/// After a command to a lock whose bridge repeats known values: determines which reports may be stale, and which must be live.
struct StaleStateFilter: Hashable, Sendable {
    /// The commanded operation.
    let operation: LockOperation
    /// When the command was sent, by the gateway's clock, in milliseconds since 1970; `nil` if unknown.
    private let orderedAt: Int64?
    /// The live state of the bolt when the command was sent: the one that a bridge would repeat. `nil` if no live state was
    /// known: then it could repeat any.
    private var known: BoltState?
    /// Reports since the command, by the part of the profile: a later one that differs is no repetition.
    private var heard: [Int: Word] = [:]
    /// Whether the state request that followed the command has been delivered by the broker: what follows may be its answer.
    var isAsked = false

    /// A report of the bolt's state.
    struct Word: Hashable, Sendable {
        var position: BoltState
        /// The device's timestamp, in milliseconds since 1970; `nil` if the message has none.
        var time: Int64?
    }

    /// - Parameter before: the filter of the previous command. The bridge would repeat the reports since then.
    init(_ operation: LockOperation, known: BoltState?, orderedAt: Int64?, after before: StaleStateFilter?) {
        (self.operation, self.known, self.orderedAt) = (operation, known, orderedAt)
        heard = known == nil ? before?.heard ?? [:] : [:]
    }

    /// Whether a report concerns the command at all: only then its age matters.
    func concerns(_ position: BoltState) -> Bool { position == .jammed || position.lockState.satisfies(operation) }

    /// Whether a report cannot be a repetition: by the device's timestamp if it has one, else by differing from the last report.
    func isFresh(_ word: Word, of part: Int) -> Bool {
        let last = heard[part]
        guard let time = word.time else {
            return (last?.position ?? known).map { $0 != word.position } ?? false
        }
        if let orderedAt, time >= orderedAt { return true }
        return last?.time.map { $0 < time } ?? (known != nil)
    }

    mutating func note(_ word: Word, of part: Int) { heard[part] = word }

    /// Discards the reports, as messages may have been missed: the next one may be a repetition of those.
    mutating func forget() { (known, heard, isAsked) = (nil, [:], false) }
}
