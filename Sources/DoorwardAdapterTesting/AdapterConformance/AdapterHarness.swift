public import DoorwardAdapterKit
public import DoorwardDomain

/// The conformance kit's interface to an adapter under test, which uses a virtual clock, and to the adapter's locks.
///
/// A lock is identified by the id that the kit attaches it with; `AdapterConformance.number(of:)` returns its number. A harness is
/// used for one check only.
public protocol AdapterHarness: Sendable {
    /// The adapter under test, always the same instance. The harness does not start it.
    var adapter: any LockAdapter { get }

    /// The clock that the adapter was created with.
    var clock: VirtualClock { get }

    /// Returns the valid address of the lock with this number. Initially, each lock is locked and
    /// online, and has the behavior `.prompt`.
    func address(of number: Int) -> [String: JSONValue]

    /// The capabilities that `check` returns for the addresses of `address(of:)`.
    var capabilities: LockCapabilities { get }

    /// The address and the capabilities of a lock that does not support all operations; `nil` if all locks have the same
    /// capabilities. The kit attaches this lock as number 0, with this address instead of `address(of: 0)`.
    var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? { get }

    /// Sets how the lock responds to commands from now on. Called after the lock is attached and the adapter is started.
    func set(_ behavior: LockBehavior, of lock: DeviceID) async throws

    /// Triggers a stimulus at the lock.
    ///
    /// - Returns: false, without any effect, if locks of this kind do not support the stimulus.
    func trigger(_ stimulus: LockStimulus, at lock: DeviceID) async throws -> Bool

    /// Returns the commands that the lock itself has received since it was attached, the oldest first. `nil` if the lock does not
    /// record them; the kit then relies on the lock's reports.
    func receivedCommands(at lock: DeviceID) async -> [LockOperation]?

    /// Whether `check` detects that two addresses belong to the same lock, so that no lock is attached twice.
    var detectsDuplicates: Bool { get }

    /// The transports that have an owner, each with an address that uses the transport. `missing` is an address that differs from
    /// these addresses only in its transport, which does not exist. `nil` if all transports of the adapter are shared.
    var transportAddresses: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? {
        get
    }

    /// Disconnects or reconnects the transport over which the adapter reaches all its locks, such as a broker. May be called before
    /// the start.
    ///
    /// - Returns: false, without any effect, if there is no transport between the adapter and its locks.
    func setTransport(isConnected: Bool) async throws -> Bool

    /// Makes the unattached lock with this number discoverable, or removes the lock from its own system.
    ///
    /// - Returns: false, without any effect, if locks of this kind cannot be discovered.
    func announce(_ number: Int, isPresent: Bool) async throws -> Bool

    /// The maximum time until a prompt lock has moved and its adapter has reported the movement.
    /// The adapter also reports every other event at a lock or its transport within this time. An
    /// adapter that polls its locks, or connects for each command, requires more than the default.
    var promptTime: Duration { get }

    /// The maximum time until a late lock has confirmed a command; longer than `promptTime`.
    var lateTime: Duration { get }

    /// Advances the clock by this time, and runs everything that is due by then. All messages between the adapter and the locks
    /// must have arrived before `pass` returns, so a harness with real sockets must also wait for messages in flight.
    func pass(_ time: Duration) async throws
}

extension AdapterHarness {
    /// The default: all locks have the same capabilities.
    public var limited: (address: [String: JSONValue], capabilities: LockCapabilities)? { nil }

    /// The default: the adapter does not detect that two addresses belong to the same lock.
    public var detectsDuplicates: Bool { false }

    /// The default: all transports are shared.
    public var transportAddresses: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])?
    { nil }

    /// The default: there is no transport.
    public func setTransport(isConnected: Bool) async throws -> Bool { false }

    /// The default: no lock can be discovered.
    public func announce(_ number: Int, isPresent: Bool) async throws -> Bool { false }

    /// The default: two seconds, enough for an adapter that receives each change at once.
    public var promptTime: Duration { AdapterConformance.prompt }

    /// The default: one minute.
    public var lateTime: Duration { AdapterConformance.late }

    /// The default: the locks do not record their commands.
    public func receivedCommands(at lock: DeviceID) async -> [LockOperation]? { nil }

    /// The default: sleeps on the clock. This suffices with a `SeededExecutor`, which advances the clock only when no job can
    /// run. A harness whose adapter has its own threads or sockets must also wait for these.
    public func pass(_ time: Duration) async throws {
        // Sleep one nanosecond longer, so that all tasks that are due at exactly that instant have run.
        try await clock.sleep(until: clock.monotonicNow().advanced(by: time + .nanoseconds(1)))
    }
}

/// The behavior of a lock under test when it receives a command.
public enum LockBehavior: CaseIterable, Hashable, Sendable {
    /// The lock moves and confirms within `promptTime`.
    case prompt
    /// The lock moves and confirms within `lateTime`, but not within `promptTime`.
    case late
    /// The lock moves, and does not report the movement.
    case silent
    /// The lock reports a jam of its bolt.
    case jamming
    /// The lock, or its bridge, refuses the command.
    case refusing
    /// The lock is known to be offline.
    case offline
}

/// The stimuli at a lock other than commands.
public enum LockStimulus: CaseIterable, Hashable, Sendable {
    /// The lock reports its complete state.
    case stateReport
    /// The bolt is turned by hand at the door: retracted if the lock is locked, otherwise extended.
    case manualTurn
    /// The transport delivers a retained report that the bolt was retracted.
    case retainedReport
    /// The adapter receives a malformed message from the lock.
    case malformedInput
    /// The lock begins to report a lasting fault other than a jam, for example because its housing is opened.
    case faultRaised
    /// The fault ends.
    case faultCleared
}
