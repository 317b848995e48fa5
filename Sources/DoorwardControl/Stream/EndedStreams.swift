import DequeModule
internal import DoorwardDomain

/// The state of streams that have ended, from which they can be resumed for a time.
///
/// Adding and forgetting costs the same for one stream, however many have ended: thousands of clients that lose their connection at
/// once are no more work each than a single one.
struct EndedStreams {
    /// A stream that has ended.
    struct Ended {
        let principal: Principal
        let mirror: StreamMirror
        fileprivate let objectCount: Int
        fileprivate let at: MonotonicInstant
    }

    private var byNumber: [UInt64: Ended] = [:]
    /// The numbers of the streams in the order in which they ended.
    private var order: Deque<UInt64> = []
    private let maxObjects: Int
    /// The number of objects of all these streams.
    private(set) var objectCount = 0

    /// - Parameter maxObjects: the maximum number of objects of all streams. The streams that ended first are forgotten if there are
    ///   more.
    init(maxObjects: Int) { self.maxObjects = maxObjects }

    /// The number of streams.
    var count: Int { byNumber.count }

    subscript(number: UInt64) -> Ended? { byNumber[number] }

    /// Adds a stream, whose number is greater than 0 and was never added, and forgets those of which there are too many.
    ///
    /// - Parameter now: not before the time of an earlier call.
    /// - Returns: the number of streams that were looked at.
    @discardableResult
    mutating func add(_ number: UInt64, _ mirror: StreamMirror, of principal: Principal, at now: MonotonicInstant) -> Int {
        let ended = Ended(principal: principal, mirror: mirror, objectCount: mirror.objectCount, at: now)
        byNumber[number] = ended
        order.append(number)
        objectCount += ended.objectCount
        return 1 + forget(before: nil)
    }

    /// Forgets the streams that ended before a time.
    ///
    /// - Returns: the number of streams that were looked at.
    @discardableResult
    mutating func forget(before oldest: MonotonicInstant) -> Int { forget(before: Optional(oldest)) }

    /// Forgets the first streams while there are too many objects, or while the streams ended before a time.
    private mutating func forget(before oldest: MonotonicInstant?) -> Int {
        var seen = 0
        while let number = order.first, let first = byNumber[number] {
            seen += 1
            guard objectCount > maxObjects || oldest.map({ first.at < $0 }) == true else { break }
            order.removeFirst()
            byNumber[number] = nil
            objectCount -= first.objectCount
        }
        return seen
    }
}
