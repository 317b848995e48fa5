public import DoorwardAdapterKit
public import DoorwardDomain

/// One adapter on a virtual clock, with a hand on its locks: what the conformance kit needs to try an adapter of any kind.
///
/// Locks are named by the id that the kit attaches them with; `AdapterConformance.number(of:)` tells which number that is. A harness is used for one promise and thrown away.
public protocol AdapterHarness: Sendable {
    /// The adapter on trial, not yet started; the same at every call.
    var adapter: any LockAdapter { get }

    /// The clock that the adapter was made with.
    var clock: VirtualClock { get }

    /// An address that `check` takes. Other numbers are other locks; each begins locked, in reach, and obeys promptly.
    func address(of number: Int) -> [String: JSONValue]

    /// What `check` answers for those addresses.
    var capabilities: LockCapabilities { get }

    /// The address of a lock that cannot do everything, with what it can do; `nil` where every lock can do the same. The kit attaches
    /// it as number 0, in place of `address(of: 0)`.
    var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? { get }

    /// From now on the lock takes orders in this way. Said once it is attached and the adapter runs.
    func set(_ manner: LockBehavior, of lock: DeviceID) async throws

    /// Makes something happen at the lock.
    ///
    /// - Returns: false where locks of this kind have no such thing; nothing has happened then.
    func happen(_ event: LockStimulus, at lock: DeviceID) async throws -> Bool

    /// The orders that have arrived at the lock itself since it was attached, the first first. `nil` where nobody counts
    /// them there: then what the lock says of itself has to do.
    func orders(at lock: DeviceID) async -> [LockOperation]?

    /// Whether `check` knows which two addresses are one lock, so that none is attached twice.
    var detectsDuplicates: Bool { get }

    /// Ways to locks that belong to somebody, with an address by each, and an address that differs from those by a way that there
    /// is not; `nil` where the adapter's ways are anybody's.
    var ways: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? { get }

    /// Takes away what the adapter reaches all its locks by, such as a broker, or gives it back. May be called before the start.
    ///
    /// - Returns: false where nothing lies between the adapter and its locks; nothing has happened then.
    func setTransport(isAway: Bool) async throws -> Bool

    /// Lets the lock of that number, which nobody has attached, make itself known, or be taken away by its own system.
    ///
    /// - Returns: false where locks of this kind have no such thing; nothing has happened then.
    func announce(_ number: Int, isThere: Bool) async throws -> Bool

    /// Within this time a prompt lock has moved and its adapter has reported it, and whatever else happens at a lock or to the
    /// transport has been reported. An adapter that polls its locks, or connects for each command, needs more than the default.
    var promptTime: Duration { get }

    /// Within this time a late lock has confirmed; longer than `promptTime`.
    var lateTime: Duration { get }

    /// Lets this time pass on the clock, and everything happen that is due by its end. Whatever is on its way between adapter and
    /// locks has arrived when this returns: a harness over real sockets moves the clock on and waits for what is in flight.
    func pass(_ time: Duration) async throws
}

extension AdapterHarness {
    /// Every lock can do the same.
    public var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? { nil }

    /// Locks that are told apart by nothing but the devices they are attached as.
    public var detectsDuplicates: Bool { false }

    /// Every way is anybody's.
    public var ways: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? { nil }

    /// Nothing lies between.
    public func setTransport(isAway: Bool) async throws -> Bool { false }

    /// No lock makes itself known.
    public func announce(_ number: Int, isThere: Bool) async throws -> Bool { false }

    /// Two seconds, enough for an adapter that is told of each change.
    public var promptTime: Duration { AdapterConformance.prompt }

    /// A minute.
    public var lateTime: Duration { AdapterConformance.late }

    /// Nobody counts.
    public func orders(at lock: DeviceID) async -> [LockOperation]? { nil }

    /// On a `SeededExecutor` the clock moves on only when nothing else can run. A harness whose adapter has threads or
    /// sockets of its own waits for those too.
    public func pass(_ time: Duration) async throws {
        // A nanosecond more, so that what is due at that very instant has happened.
        try await clock.sleep(until: clock.monotonicNow().advanced(by: time + .nanoseconds(1)))
    }
}

/// How a lock takes orders.
public enum LockBehavior: CaseIterable, Hashable, Sendable {
    /// It moves and confirms within `promptTime`.
    case prompt
    /// It moves, and confirms `lateTime` afterwards at the latest, but not within `promptTime`.
    case late
    /// It moves, and does not say so.
    case silent
    /// Its bolt sticks on the way.
    case jamming
    /// It, or its bridge, refuses.
    case refusing
    /// It is known to be out of reach.
    case away
}

/// What can happen at a lock without an order.
public enum LockStimulus: CaseIterable, Hashable, Sendable {
    /// It says all of its condition.
    case speaks
    /// Somebody at the door turns the bolt: a locked one is withdrawn, any other thrown.
    case turnedByHand
    /// The transport hands over once more what it kept of an earlier word: that the bolt was withdrawn.
    case repeatedFromBefore
    /// Something arrives as if from the lock that no lock says.
    case rubbish
    /// Something goes wrong with it that lasts and is no jam: somebody is at its housing, say.
    case tampered
    /// What was wrong is over.
    case calmed
}
