/// Keeps permissions and the subscription of the selected portfolio current: by the stream and, without it, by reading again.
@MainActor final class AccessKeeper {
    private let live: Live
    private let permissions: PermissionService
    private let subscriptions: SubscriptionService
    private let clock: any LiveClock
    private var abilities: LiveSubscription<CallerAbilities>?
    private var portfolio: LiveSubscription<LivePortfolioSubscription>?
    private var tasks: [Task<Void, Never>] = []
    private var portfolioTask: Task<Void, Never>?
    private var timer: Task<Void, Never>?

    init(live: Live, permissions: PermissionService, subscriptions: SubscriptionService, clock: any LiveClock) {
        (self.live, self.permissions, self.subscriptions, self.clock) = (live, permissions, subscriptions, clock)
    }

    deinit { for task in tasks + [portfolioTask, timer].compactMap(\.self) { task.cancel() } }

    /// Subscribes to the permissions. Does nothing if it has.
    func start() async {
        guard abilities == nil else { return }
        await live.engine.restart()
        let subscription: LiveSubscription<CallerAbilities> = await live.subscription(.all)
        abilities = subscription
        let (updates, statuses) = (subscription.updates(), live.statuses)
        tasks = [
            Task { [weak self] in for await update in updates { await self?.receive(update) } },
            Task { [weak self] in for await status in statuses { self?.follow(status) } },
        ]
    }

    func stop() async {
        for task in tasks + [portfolioTask, timer].compactMap(\.self) { task.cancel() }
        (tasks, portfolioTask, timer) = ([], nil, nil)
        await abilities?.cancel()
        await portfolio?.cancel()
        (abilities, portfolio) = (nil, nil)
    }

    private func receive(_ update: LiveUpdate<CallerAbilities>) async {
        guard update.isCurrent, let current = update.objects?.values.first else {
            if update.failure != nil { permissions.streamEnded() }
            return
        }
        if permissions.apply(current, isLive: true) { try? await permissions.refreshMe() }
    }

    private func follow(_ status: LiveStatus) {
        timer?.cancel()
        timer = nil
        if status == .live { return }
        permissions.streamEnded()
        timer = Task { [weak self, clock] in
            while let due = self?.permissions.nextRefresh, !Task.isCancelled {
                guard (try? await clock.sleep(until: due)) != nil else { return }
                await self?.permissions.refreshIfNeeded()
                // A read that has failed is tried again after a while.
                guard (try? await clock.sleep(until: clock.uptime + .seconds(5))) != nil else { return }
            }
        }
    }

    /// Follows the subscription of a portfolio, if the person may read it.
    func select(portfolio id: String?) async {
        portfolioTask?.cancel()
        portfolioTask = nil
        await portfolio?.cancel()
        portfolio = nil
        guard let id, abilities != nil else { return }
        let subscription: LiveSubscription<LivePortfolioSubscription> = await live.subscription(
            LiveQuery(filters: ["portfolioId": id]))
        portfolio = subscription
        let updates = subscription.updates()
        portfolioTask = Task { [weak self] in
            for await update in updates where update.isCurrent {
                guard let current = update.objects?.values.first?.subscription else { continue }
                self?.subscriptions.apply(current, of: id)
            }
        }
    }
}
