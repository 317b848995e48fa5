internal import NIOHTTP1

/// The objects of one type that the person sees: read once, or watched.
public struct NounCollection<Noun: ListedNoun>: Sendable {
    let doorward: Doorward

    /// Reads a list. If it changes meanwhile, an object may be missing or appear twice; `watch` has no such gap.
    public func list(_ query: LiveQuery<Noun> = .all) async throws -> [Noun] {
        let pages = Pages<Noun>(client: doorward.client, path: [Noun.listPath], query: query.items)
        return try await doorward.request { try await pages.all().content }
    }

    /// Reads an object.
    public func get(_ id: String) async throws -> Noun {
        try await doorward.request { try await Resource<Noun>(client: doorward.client).get(id).content }
    }

    /// Watches the objects of a query.
    public func watch(_ query: LiveQuery<Noun> = .all) -> WatchSequence<[Noun]> { doorward.live.watch(query) }

    /// Watches one object.
    ///
    /// - Parameter query: a query that selects the object. The narrower it is, the less is sent.
    public func watch(
        _ id: String, in query: LiveQuery<Noun> = .all, changes: ChangeDetection<Noun> = .equality
    ) -> WatchSequence<Noun> {
        doorward.live.watch(id, in: query, changes: changes)
    }

    /// The objects of a query, as an observable value for views.
    @MainActor public func watched(_ query: LiveQuery<Noun> = .all) -> WatchedResult<[Noun]> { WatchedResult(watch(query)) }

    /// One object, as an observable value for views. For `nil`, nothing is watched.
    @MainActor public func watched(_ id: String?, in query: LiveQuery<Noun> = .all) -> WatchedResult<Noun> {
        id.map { WatchedResult(watch($0, in: query)) } ?? WatchedResult()
    }

    /// An object that some subscription has.
    ///
    /// - Throws: `DoorwardError.notLoaded` if none has.
    public func require(_ id: String) async throws -> Noun {
        guard let object = await doorward.live.engine.object(id, Noun.self) else { throw DoorwardError.notLoaded }
        return object
    }

    /// Returns an object that a subscription already has; otherwise requests it from the gateway, for at most this time.
    ///
    /// - Throws: `DoorwardError.notLoaded` if the object does not exist for the person, `.timedOut`.
    public func require(_ id: String, in query: LiveQuery<Noun> = .all, timeout: Duration) async throws -> Noun {
        if let object = await doorward.live.engine.object(id, Noun.self) { return object }
        let subscription = await doorward.live.subscription(query)
        let object = await Result {
            try await subscription.ready(timeout: timeout)
            return await doorward.live.engine.objects(query)?[id]
        }
        await subscription.cancel()
        guard let object = try object.get() else { throw DoorwardError.notLoaded }
        return object
    }
}

// MARK: - Commands

/// A command that was accepted, and its states until the outcome.
public struct CommandHandle: Sendable {
    /// The command as it was accepted.
    public let command: Doorward.Command
    private let doorward: Doorward

    init(_ command: Doorward.Command, _ doorward: Doorward) { (self.command, self.doorward) = (command, doorward) }

    /// Each newer state of the command; the last one is its outcome.
    public var life: AsyncThrowingStream<Doorward.Command, any Error> {
        let (command, doorward) = (command, doorward)
        return AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    continuation.yield(command)
                    var last = command
                    if command.state?.isInProgress == true {
                        for try await step in doorward.commands.watch(command.id, in: .device(command.deviceId))
                        where step.value != last {
                            last = step.value
                            continuation.yield(last)
                            if last.state?.isInProgress != true { break }
                        }
                    }
                    continuation.finish()
                } catch DoorwardError.notLoaded {
                    // The stream has the person's latest commands only.
                    let result = await Result { try await doorward.commands.get(command.id) }
                    if case .success(let outcome) = result { continuation.yield(outcome) }
                    continuation.finish(throwing: result.failure)
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Waits for the outcome.
    public func outcome() async throws -> Doorward.Command {
        var last = command
        for try await step in life { last = step }
        try Task.checkCancellation()
        return last
    }
}

extension NounCollection<Doorward.LockDevice> {
    /// Extends the bolt. Returns when the command is durable; `life` yields its later states.
    public func lock(_ id: String, reason: String? = nil) async throws -> CommandHandle { try await send(.lock, id, reason) }
    /// Withdraws the bolt. Returns when the command is durable; `life` yields its later states.
    public func unlock(_ id: String, reason: String? = nil) async throws -> CommandHandle { try await send(.unlock, id, reason) }
    /// Withdraws the latch, so that the door opens. Returns when the command is durable; `life` yields its later states.
    public func unlatch(_ id: String, reason: String? = nil) async throws -> CommandHandle {
        try await send(.unlatch, id, reason)
    }

    /// The command has an idempotency key: if the connection breaks and it is sent again, the lock moves once.
    private func send(_ action: Doorward.Action, _ id: String, _ reason: String?) async throws -> CommandHandle {
        let accepted = try await doorward.request {
            var request = try APIRequest.post(
                "devices", id, action.rawValue.lowercased(), body: Doorward.CommandParameters(reason: reason))
            request.headers = [("Prefer", "respond-async")]
            return try await doorward.client.send(request, as: Doorward.Command.self, member: "command").content
        }
        return CommandHandle(accepted, doorward)
    }
}
