internal import DoorwardDomain

/// After an order to a lock whose bridge tells again what it knew before: which words may be old, and which can only be live.
struct Doubt: Hashable, Sendable {
    /// What was ordered.
    let operation: LockOperation
    /// When, by the gateway's clock, in milliseconds since 1970; `nil` where nobody knows.
    private let orderedAt: Int64?
    /// Where the bolt was by a live word, when the order left: that is what a bridge would tell again. `nil` where nothing was
    /// known for certain: then it could tell anything.
    private var known: Position?
    /// What was heard since, by the part of the profile: what comes after it and is another is no repetition.
    private var heard: [Int: Word] = [:]
    /// The question that was asked after the order has come by on the broker: what follows may be its answer.
    var isAsked = false

    /// What a message says of the bolt.
    struct Word: Hashable, Sendable {
        var position: Position
        /// By the device's own clock, in milliseconds since 1970; `nil` where it does not say.
        var time: Int64?
    }

    /// - Parameter before: the doubt of the order before. What was heard since then is still what the bridge would tell again.
    init(_ operation: LockOperation, known: Position?, orderedAt: Int64?, after before: Doubt?) {
        (self.operation, self.known, self.orderedAt) = (operation, known, orderedAt)
        heard = known == nil ? before?.heard ?? [:] : [:]
    }

    /// Whether a word is about the order at all: only then does it matter how old it is.
    func concerns(_ position: Position) -> Bool { position == .jammed || position.lockState.satisfies(operation) }

    /// Whether a word cannot be a repetition: by the device's time where it tells one, else by being another than before.
    func isNews(_ word: Word, of part: Int) -> Bool {
        let last = heard[part]
        guard let time = word.time else {
            return (last?.position ?? known).map { $0 != word.position } ?? false
        }
        if let orderedAt, time >= orderedAt { return true }
        return last?.time.map { $0 < time } ?? (known != nil)
    }

    mutating func note(_ word: Word, of part: Int) { heard[part] = word }

    /// Messages may have been missed: what comes next may be a repetition of those.
    mutating func forget() { (known, heard, isAsked) = (nil, [:], false) }
}
