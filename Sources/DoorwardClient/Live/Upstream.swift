internal import FoundationEssentials

/// One name at the gateway, shared by all subscriptions with the same query. Used by `LiveEngine` only.
class Upstream {
    let name: String
    let subscription: StreamSubscription
    /// The number of watchers, followers and subscriptions.
    var holders = 1
    /// Whether the name is complete on the present connection.
    private(set) var isReady = false
    /// Why the name has ended for now.
    private(set) var failure: DoorwardError?

    init(name: String, subscription: StreamSubscription) { (self.name, self.subscription) = (name, subscription) }

    /// A new connection begins, or the name begins again. If it is not resumed, the objects are sent anew.
    func connected(isResumed: Bool) { isReady = false }
    /// The latest objects by id, if they are kept.
    var heldObjects: (any Sendable)? { nil }
    /// The stream is opened again after it had ended permanently.
    final func reopen() { (isReady, failure) = (false, nil) }
    /// Objects of the data of an event. Throws `DecodingError`.
    func snapshot(_ data: Data) throws {}
    /// Throws `DecodingError`.
    func change(_ data: Data) throws {}
    func removed(_ id: String) {}
    func ready() { (isReady, failure) = (true, nil) }
    /// The right to the whole name has ended. It can begin again by itself, with a snapshot.
    func revoked() { refused(.revoked) }
    /// The gateway does not accept the name, or the stream has ended for good.
    func refused(_ error: DoorwardError) { (isReady, failure) = (false, error) }
    /// Passes what has changed to the watchers.
    func flush(isStale: Bool) {}
}

/// What a watcher receives.
struct LiveUpdate<Noun: LiveNoun>: Sendable {
    /// By id; `nil` before anything is known.
    var objects: [String: Noun]?
    var source: WatchSource
    var isReady: Bool
    var isStale: Bool
    var failure: DoorwardError?
    /// Whether the objects are all that the gateway has sent on a connection that it keeps open.
    var isCurrent: Bool { isReady && source == .server && !isStale }
}

/// The data of an event `snapshot`.
struct SnapshotData<Noun: LiveNoun>: Decodable { let objects: [Noun] }
/// The data of an event `change`.
struct ChangeData<Noun: LiveNoun>: Decodable { let object: Noun }

/// A name whose objects are kept: the latest value of each.
final class StateUpstream<Noun: LiveNoun>: Upstream {
    typealias Sink = @Sendable (LiveUpdate<Noun>) -> Void

    private var current: [String: Noun]?
    private var source = WatchSource.cache
    /// The objects of a snapshot that is not complete.
    private var pending: [String: Noun]?
    private var sinks: [Int: Sink] = [:]
    private var isDirty = false
    private var wasStale = false
    private var update: LiveUpdate<Noun> {
        LiveUpdate(objects: current, source: source, isReady: isReady, isStale: wasStale, failure: failure)
    }

    init(name: String, subscription: StreamSubscription, cached: [String: Noun]?) {
        current = cached
        super.init(name: name, subscription: subscription)
    }

    var objects: [String: Noun]? { current }
    override var heldObjects: (any Sendable)? { current }

    func attach(_ id: Int, isStale: Bool, _ sink: @escaping Sink) {
        sinks[id] = sink
        wasStale = isStale
        sink(update)
    }

    func detach(_ id: Int) { sinks[id] = nil }

    override func connected(isResumed: Bool) {
        super.connected(isResumed: isResumed)
        if !isResumed { pending = [:] }
    }

    override func snapshot(_ data: Data) throws {
        let page = try JSONDecoder().decode(SnapshotData<Noun>.self, from: data).objects
        // A page after `ready` means that a revoked name begins again.
        if pending == nil { pending = failure == nil ? current ?? [:] : [:] }
        for object in page { pending?[object.id] = object }
    }

    override func change(_ data: Data) throws {
        let object = try JSONDecoder().decode(ChangeData<Noun>.self, from: data).object
        pending?[object.id] = object
        guard current != nil, current?[object.id] != object else { return }
        current?[object.id] = object
        isDirty = true
    }

    override func removed(_ id: String) {
        pending?[id] = nil
        if current?.removeValue(forKey: id) != nil { isDirty = true }
    }

    override func ready() {
        super.ready()
        (current, pending) = (pending ?? current ?? [:], nil)
        (source, isDirty) = (.server, true)
    }

    override func revoked() {
        (current, pending) = (nil, nil)
        super.revoked()
    }

    override func refused(_ error: DoorwardError) {
        super.refused(error)
        isDirty = true
    }

    override func flush(isStale: Bool) {
        guard isDirty || isStale != wasStale else { return }
        (isDirty, wasStale) = (false, isStale)
        let update = update
        for sink in sinks.values { sink(update) }
    }
}
