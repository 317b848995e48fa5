public import DoorwardAdapterKit
public import DoorwardDomain

/// An adapter under test on a virtual clock, with control over its locks: the conformance kit's interface to adapters of any kind.
///
/// A lock is identified by the id that the kit attaches it with; `AdapterConformance.number(of:)` returns its number. A harness is
/// used for one check only.
public protocol AdapterHarness: Sendable {
    /// The adapter under test, not started yet; always the same instance.
    var adapter: any LockAdapter { get }

    /// The clock that the adapter was created with.
    var clock: VirtualClock { get }

    /// Returns a valid address. Different numbers address different locks. Each lock begins locked, online, and with the behavior
    /// `.prompt`.
    func address(of number: Int) -> [String: JSONValue]

    /// The capabilities that `check` returns for those addresses.
    var capabilities: LockCapabilities { get }

    /// The address and the capabilities of a lock that does not support all operations; `nil` if all locks have the same
    /// capabilities. The kit attaches it as number 0, in place of `address(of: 0)`.
    var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? { get }

    /// Sets how the lock responds to commands from now on. Called after the lock is attached and the adapter is started.
    func set(_ manner: LockBehavior, of lock: DeviceID) async throws

    /// Triggers a stimulus at the lock.
    ///
    /// - Returns: false, without any effect, if locks of this kind do not have it.
    func happen(_ event: LockStimulus, at lock: DeviceID) async throws -> Bool

    /// Returns the commands that the lock itself has received since it was attached, the oldest first. `nil` if the lock does not
    /// record them; the kit then relies on the lock's reports.
    func orders(at lock: DeviceID) async -> [LockOperation]?

    /// Whether `check` detects that two addresses belong to the same lock, so that no lock is attached twice.
    var detectsDuplicates: Bool { get }

    /// The transports that have an owner, each as the owner and an address that uses the transport. `missing` is an address that
    /// differs from these only in its transport, which does not exist. `nil` if all transports of the adapter are shared.
    var ways: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? { get }

    /// Disconnects or reconnects the transport over which the adapter reaches all its locks, such as a broker. May be called before
    /// the start.
    ///
    /// - Returns: false, without any effect, if there is no transport between the adapter and its locks.
    func setTransport(isAway: Bool) async throws -> Bool

    /// Makes the lock of that number, which is not attached, discoverable, or removes it from its own system.
    ///
    /// - Returns: false, without any effect, if locks of this kind cannot be discovered.
    func announce(_ number: Int, isThere: Bool) async throws -> Bool

    /// The maximum time until a prompt lock has moved and its adapter has reported the movement. Within the same time the adapter
    /// reports any other event at a lock or its transport. An adapter that polls its locks, or connects for each command, needs
    /// more than the default.
    var promptTime: Duration { get }

    /// The maximum time until a late lock has confirmed a command; longer than `promptTime`.
    var lateTime: Duration { get }

    /// Advances the clock by this time, and runs everything that is due by then. When it returns, all messages between the
    /// adapter and the locks have arrived: a harness with real sockets advances the clock and waits for messages in flight.
    func pass(_ time: Duration) async throws
}

extension AdapterHarness {
    /// The default: all locks have the same capabilities.
    public var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? { nil }

    /// The default: the adapter does not detect that two addresses belong to the same lock.
    public var detectsDuplicates: Bool { false }

    /// The default: all transports are shared.
    public var ways: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? { nil }

    /// The default: there is no transport.
    public func setTransport(isAway: Bool) async throws -> Bool { false }

    /// The default: no lock can be discovered.
    public func announce(_ number: Int, isThere: Bool) async throws -> Bool { false }

    /// The default: two seconds, enough for an adapter that receives each change at once.
    public var promptTime: Duration { AdapterConformance.prompt }

    /// The default: one minute.
    public var lateTime: Duration { AdapterConformance.late }

    /// The default: the locks do not record their commands.
    public func orders(at lock: DeviceID) async -> [LockOperation]? { nil }

    /// The default sleeps on the clock. This is enough with a `SeededExecutor`, which advances the clock only when nothing else
    /// can run. A harness whose adapter has its own threads or sockets must wait for these too.
    public func pass(_ time: Duration) async throws {
        // Sleep one nanosecond longer, so that everything that is due at exactly that instant has run.
        try await clock.sleep(until: clock.monotonicNow().advanced(by: time + .nanoseconds(1)))
    }
}

/// How a lock under test responds to commands.
public enum LockBehavior: CaseIterable, Hashable, Sendable {
    /// The lock moves and confirms within `promptTime`.
    case prompt
    /// The lock moves and confirms within `lateTime`, but not within `promptTime`.
    case late
    /// The lock moves, and does not report it.
    case silent
    /// The lock reports a jam of its bolt.
    case jamming
    /// The lock, or its bridge, refuses the command.
    case refusing
    /// The lock is known to be offline.
    case away
}

/// The stimuli at a lock other than commands.
public enum LockStimulus: CaseIterable, Hashable, Sendable {
    /// The lock reports its complete state.
    case speaks
    /// The bolt is turned by hand at the door: a locked one is withdrawn, any other is thrown.
    case turnedByHand
    /// The transport repeats a retained report that the bolt was withdrawn.
    case repeatedFromBefore
    /// The adapter receives a message from the lock that is not valid in its protocol.
    case rubbish
    /// The lock begins to report a lasting fault other than a jam, for example because its housing is opened.
    case tampered
    /// The fault ends.
    case calmed
}
