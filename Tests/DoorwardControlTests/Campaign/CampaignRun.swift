import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Logging

/// One run of the gateway in a campaign, from its start to its stop or crash, with the requests of its users.
struct CampaignRun: Sendable {
    let number: Int
    let house: CampaignHouse
    let store: InMemoryStore
    let clock: VirtualClock
    let executor: SeededExecutor
    let trace: CampaignTrace
    let adapter: ScriptedAdapter
    let control: GatewayControl

    init(
        house: CampaignHouse, store: InMemoryStore, clock: VirtualClock, executor: SeededExecutor, trace: CampaignTrace,
        seed: UInt64
    ) async throws {
        (self.house, self.store, self.clock, self.executor, self.trace) = (house, store, clock, executor, trace)
        number = trace.beginRun()
        adapter = ScriptedAdapter(clock: clock, executor: executor)
        var limits = GatewayControl.Limits()
        limits.deniedPerMinute = 6
        limits.passwordCost = 10
        control = GatewayControl(
            store: SlowStore(store, clock: clock, seed: ~seed), adapters: [adapter], clock: clock,
            random: RandomSource(SeededGenerator(seed: seed)), limits: limits,
            logger: Logger(label: "campaign") { _ in SwiftLogNoOpLogHandler() }, executor: executor)
        watchSentCommands()
        try await control.start()
        if try await !store.openCommands().isEmpty { note("an intent is still open after the start") }
    }

    /// Records the decision and the logs at the instant at which each command is sent.
    private func watchSentCommands() {
        adapter.onSend { [number, house, store, clock, trace, directory = control.directory] command in
            let records = house.records(of: command.commandID, in: store)
            let actor = records.last?.actor.userID ?? command.commandID.cast()
            let decision = SecurityService.decide(
                .user(actor), command.operation, on: command.deviceID, at: .trusted(clock.now()), override: false,
                in: directory.current)
            trace.note(in: number) {
                $0.commands.append(
                    CampaignTrace.SentCommand(
                        run: number, command: command, at: clock.monotonicNow(), wallAt: clock.now(), decision: decision,
                        records: records))
            }
        }
    }

    func note(_ violation: String) { trace.note(in: number) { $0.violations.append(violation) } }

    // MARK: - Steps

    /// Executes one step, and records its result.
    func take(_ step: CampaignStep) async {
        switch step {
        case .command(let command): await ask(command)
        case .burst(let command):
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<7 { group.addTask { await ask(command) } }
            }
        case .grant(let grantor, let guest, let device, let length): await grant(grantor, guest, device, length)
        case .revoke(let revoker, let index): await revoke(revoker, index)
        case .assign(let user, let role, let entity):
            await attempt { _ = try await control.roles.assign(caller(house.owner), role, to: user, on: entity) }
        case .remove(let user, let entity): await remove(user, entity)
        case .enable(let user, let isEnabled): await enable(user, isEnabled)
        case .behave(let device, let behaviour): adapter.set(behaviour, for: device)
        case .report(let device, let fact): adapter.report(fact, from: device)
        case .failStore(let isDurable, let wait):
            trace.note(in: number) { $0.runsWithFailures.insert(number) }
            store.failNext(.failed("disk I/O error"), isDurable: isDurable)
            await sleep(wait)
            store.recover()
        case .storeAway(let wait):
            trace.note(in: number) { $0.runsWithFailures.insert(number) }
            store.stayUnavailable()
            await sleep(wait)
            store.recover()
        }
    }

    func sleep(_ duration: Duration) async {
        do { try await clock.sleep(until: clock.monotonicNow().advanced(by: duration)) } catch { note("a sleep was cancelled") }
    }

    private func caller(_ user: UserID, requestID: String? = nil) -> Caller {
        Caller(userID: user, origin: RequestOrigin(clientAddress: "192.0.2.7", requestID: requestID))
    }

    private func ask(_ wanted: CampaignCommand) async {
        var index = 0
        trace.note(in: number) { content in
            index = content.requests.count
            content.requests.append(
                CampaignTrace.Request(run: number, wanted: wanted, id: "request \(index)", began: clock.monotonicNow()))
        }
        let place = index
        let answer = await run(wanted, requestID: "request \(place)") { accepted in
            trace.note(in: number) { $0.requests[place].accepted = accepted }
        }
        trace.note(in: number) { $0.requests[place].answer = answer }
    }

    private func run(
        _ wanted: CampaignCommand, requestID: String, onAcceptance: (Command) -> Void
    ) async -> CampaignTrace.Answer {
        let request = CommandRequest(
            caller: caller(wanted.user, requestID: requestID), deviceID: wanted.device,
            attemptedID: wanted.device.description, operation: wanted.operation, timeout: wanted.timeout)
        do throws(GatewayError) {
            let answer = try await control.locks.begin(request, repeatable: wanted.call)
            if !answer.isReplay { onAcceptance(answer.value.accepted) }
            let command = await answer.value.finished.command
            return answer.isReplay ? .replayed("\(command.id) \(command.state.rawValue)") : .ended(command)
        } catch .denied(let denial, _, _) {
            return .denied(denial)
        } catch {
            return .refused(error)
        }
    }

    private func grant(_ grantor: UserID, _ guest: UserID, _ device: DeviceID, _ length: Duration) async {
        let now = clock.now()
        let new = NewGuestAccess(
            guestUserID: .some(guest), label: nil, propertyID: nil, unitID: nil, deviceIDs: [device],
            operations: [.lock, .unlock, .unlatch],
            window: GuestWindow(validFrom: now, validUntil: now.advanced(by: length)))
        await attempt { _ = try await control.guestAccesses.grant(caller(grantor), new, repeatable: nil) }
    }

    private func revoke(_ revoker: UserID, _ index: Int) async {
        let standing = control.directory.current.guestAccesses(in: house.property).filter { $0.revokedAt == nil }
        guard !standing.isEmpty else { return }
        let access = standing.sorted { $0.id < $1.id }[index % standing.count].id
        await attempt(takingAway: [.access(access)]) { try await control.guestAccesses.revoke(caller(revoker), access) }
    }

    private func remove(_ user: UserID, _ entity: AssociatedEntity) async {
        let held = control.directory.current.associations(on: entity).filter { $0.userID == user }
        await attempt(takingAway: held.map { .association($0.id) }) {
            try await control.roles.remove(caller(house.owner), user, from: entity)
        }
    }

    private func enable(_ user: UserID, _ isEnabled: Bool) async {
        if isEnabled {
            trace.note(in: number) { content in
                content.enabled.insert(user)
                for index in content.revoked.indices
                where content.revoked[index].right == .user(user) && content.revoked[index].commandsUntil == nil {
                    content.revoked[index].commandsUntil = content.commands.count
                }
            }
        }
        await attempt(takingAway: isEnabled ? [] : [.user(user)]) {
            _ = try await control.users.update(caller(house.superAdmin), user, UserChanges(isEnabled: isEnabled))
        }
    }

    private func attempt(takingAway rights: [CampaignTrace.Revoked.Right] = [], _ body: () async throws -> Void) async {
        do {
            try await body()
            trace.note(in: number) { content in
                for right in rights where !content.mayComeBack(right) {
                    content.revoked.append(CampaignTrace.Revoked(right: right, commandsBefore: content.commands.count))
                }
            }
        } catch is GatewayError {
            trace.note(in: number) { $0.counts["changes refused", default: 0] += 1 }
        } catch {
            note("unexpected type of error: \(error)")
        }
    }

    // MARK: - End

    /// Waits until all commands have ended and the store works again. Records each command that is
    /// still open, and a gateway that is not ready, as a violation.
    func settle() async {
        // The recovery itself can be the first write to meet an injected failure, so one round is not enough.
        for _ in 0..<3 {
            store.recover()
            await sleep(.seconds(15))
        }
        do {
            let open = try await store.openCommands()
            if !open.isEmpty { note("intents are still open: \(open.map(\.command.id))") }
        } catch {
            note("the store cannot be read: \(error)")
        }
        if !control.storeGuard.isAcceptingCommands {
            note("the gateway does not accept commands although the store is writable again")
        }
        if await !control.isReadyToServe { note("the gateway is not ready although the store is writable again") }
    }
}

extension CampaignCommand {
    fileprivate var call: IdempotentCall? {
        key.map { key in
            IdempotentCall(
                key: IdempotencyKey(principal: "user:\(user)", key: key), fingerprint: Array("\(operation) \(device)".utf8))
        }
    }
}
