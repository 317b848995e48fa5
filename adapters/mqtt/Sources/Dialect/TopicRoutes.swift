internal import DoorwardMQTT

/// Maps topics to the parts of a profile that read them.
struct TopicRoutes: Sendable {
    /// The parts that read one topic, by their indices.
    struct Route: Sendable {
        var values: [Int] = []
        var events: [Int] = []
        var acks: [Int] = []
        /// Whether commands are published here.
        var isCommand = false
        /// Whether state requests are published here.
        var isStateRequest = false
    }

    /// The routes by their filters: exact topics, and those that end with `/+` for events whose name is the last topic level.
    private var routes: [TopicText: Route] = [:]
    private(set) var filters: [MQTTFilter] = []
    /// The filters in `filters` for command topics on which no state or event is published. Only for these is Retain As Published
    /// safe.
    private(set) var commandFilters: Set<MQTTFilter> = []
    /// The subscriptions through which the lock's responses arrive.
    private(set) var responseSubscriptions = MQTTResponseSubscriptions.none

    init(_ parts: ProfileBody, commandTopics: [MQTTTopic], stateRequest: MQTTTopic?) {
        for (index, part) in parts.values.enumerated() { add(part.reader.topic.text) { $0.values.append(index) } }
        for (index, part) in parts.events.enumerated() {
            let ending = part.source == .topicSuffix ? "/+" : ""
            add(part.reader.topic.text + ending) { $0.events.append(index) }
        }
        for (index, part) in parts.acks.enumerated() { add(part.reader.topic.text) { $0.acks.append(index) } }
        for topic in commandTopics { add(topic.description) { $0.isCommand = true } }
        if let stateRequest { add(stateRequest.description) { $0.isStateRequest = true } }
        commandFilters = Set(
            routes.compactMap { topic, route in
                route.isCommand && route.values.isEmpty && route.events.isEmpty ? MQTTFilter(String(topic.text)) : nil
            })
        // Put the availability topics last: when the lock is reported online, its other topics are already subscribed to.
        let availabilityFilters = Set(
            parts.values.filter { $0.aspect == .availability }.compactMap { MQTTFilter($0.reader.topic.text) })
        filters = filters.filter { !availabilityFilters.contains($0) } + filters.filter { availabilityFilters.contains($0) }
        let states = Set(parts.values.filter { $0.aspect == .state }.compactMap { MQTTFilter($0.reader.topic.text) })
        responseSubscriptions = MQTTResponseSubscriptions(
            required: Array(states), optional: filters.filter { !states.contains($0) && !commandFilters.contains($0) })
    }

    /// - Returns: `nil` if the profile does not use the topic.
    subscript(topic: String) -> Route? {
        let (exact, any) = (routes[TopicText(topic)], TopicText.anyLastLevel(of: topic).flatMap { routes[$0] })
        guard var route = exact, let any else { return exact ?? any }
        route.events += any.events
        return route
    }

    private mutating func add(_ topic: String, _ change: (inout Route) -> Void) {
        if routes[TopicText(topic)] == nil, let filter = MQTTFilter(topic), !filters.contains(filter) { filters.append(filter) }
        change(&routes[TopicText(topic), default: Route()])
    }
}

/// A lock's use of a topic that may conflict with that of another lock of its broker.
enum TopicUse: Hashable, Sendable {
    /// The lock's commands are published on this topic.
    case command(TopicText)
    /// The lock reports its state on this topic: as the whole payload, or at a path in its JSON.
    case state(TopicText, at: JSONPath?)
    /// The lock reports its state on this topic, anywhere in the payload.
    case anyState(TopicText)

    /// Returns all topic uses of one address.
    static func all(of parts: ProfileBody, commandTopics: [MQTTTopic]) -> Set<TopicUse> {
        var uses = Set(commandTopics.map { TopicUse.command(TopicText($0.description)) })
        for part in parts.values where part.aspect == .state {
            let topic = TopicText(part.reader.topic.text)
            uses.insert(.anyState(topic))
            let paths: [JSONPath?] =
                part.reader.source == .raw || part.reader.paths.isEmpty ? [nil] : part.reader.paths.map { Optional($0) }
            for path in paths { uses.insert(.state(topic, at: path)) }
        }
        return uses
    }

    /// The uses by another lock that conflict with this one, each with the problem to report.
    var conflictingUses: [(use: TopicUse, problem: VariableProblem)] {
        switch self {
        case .command(let topic): [(.anyState(topic), .stateTopicOfOther)]
        case .state: [(self, .stateTopicInUse)]
        case .anyState(let topic): [(.command(topic), .commandTopicOfOther)]
        }
    }

    /// The topic of the use.
    var topic: TopicText {
        switch self {
        case .command(let topic), .state(let topic, _), .anyState(let topic): topic
        }
    }
}

/// The subscribers of topics, by the filters of locks: an exact topic, or one that ends with `/+`.
struct TopicSubscribers<Subscriber: Hashable> {
    private(set) var byFilter: [TopicText: Set<Subscriber>] = [:]

    /// The subscribers with exactly this filter.
    subscript(filter: MQTTFilter) -> Set<Subscriber> { byFilter[TopicText(filter.description)] ?? [] }

    /// The subscribers with a filter that matches the topic.
    func matching(_ topic: String) -> Set<Subscriber> {
        let exact = byFilter[TopicText(topic)] ?? []
        return exact.union(TopicText.anyLastLevel(of: topic).flatMap { byFilter[$0] } ?? [])
    }

    mutating func insert(_ subscriber: Subscriber, at filter: MQTTFilter) {
        byFilter.insert(subscriber, at: TopicText(filter.description))
    }

    mutating func remove(_ subscriber: Subscriber, at filter: MQTTFilter) {
        byFilter.remove(subscriber, at: TopicText(filter.description))
    }
}

extension TopicText {
    /// Returns the filter that matches a topic with any last level: `a/+` for `a/b`; `nil` for a topic of one level.
    fileprivate static func anyLastLevel(of topic: String) -> TopicText? {
        topic.utf8.lastIndex(of: UInt8(ascii: "/")).map { TopicText(Substring(topic.utf8[...$0]) + "+") }
    }
}

extension Dictionary where Value: SetAlgebra {
    /// Adds a member to the set of a key.
    mutating func insert(_ member: Value.Element, at key: Key) { self[key, default: Value()].insert(member) }

    /// Removes a member from the set of a key; a key without members is removed.
    mutating func remove(_ member: Value.Element, at key: Key) {
        self[key]?.remove(member)
        if self[key]?.isEmpty == true { self[key] = nil }
    }
}
