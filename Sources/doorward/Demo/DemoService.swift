import AdapterSimulator
import DoorwardClient
import DoorwardControl
import DoorwardDomain
import ServiceLifecycle

/// The life in the demo's house and whoever watches it, beside the gateway. `run` goes on until it is told to stop, or until
/// the watcher has seen enough.
struct DemoService: Service {
    let life: DemoScript
    let password: Secret<String>
    let folder: DemoFolder
    /// Tells the gateway's address once it listens.
    let addresses: AsyncStream<String>

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await liveAndWatch() }
            await signOut()
        } catch {
            await signOut()
            // What is cut off by the end is no failure.
            guard Task.isShuttingDownGracefully else { throw error }
        }
    }

    private func liveAndWatch() async throws {
        guard let address = await addresses.first(where: { _ in true }) else { return }
        let watch = DemoScreen(
            client: try await signIn(at: address),
            invitation: DemoSignIns(
                house: life.plan.house, address: address, password: password, program: DemoSignIns.programAsTyped),
            clock: life.control.clock,
            time: HouseTime(
                beganAt: life.control.clock.now(), speed: life.speed, start: life.plan.start,
                firstWeekday: life.plan.scenario.firstWeekday))
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await life.run()
                return false
            }
            group.addTask {
                await watch.run()
                return true
            }
            defer { group.cancelAll() }
            // After the last event of a scenario the house can still be looked at: the demo ends when the watcher goes.
            while let hasGone = try await group.next(), !hasGone {}
        }
    }

    /// The owner's session, which lasts as long as the demo does: it is renewed as those of people are.
    private func signIn(at address: String) async throws -> DoorwardClient {
        let stranger = try DoorwardClient(server: address, credentials: .none)
        let signedIn = try await stranger.authentication.signIn(email: DemoHouse.owner.email, password: password.reveal())
        try folder.session.write(signedIn.session)
        return try DoorwardClient(server: address, credentials: .session(folder.session))
    }

    /// Ends the owner's session: nobody is to find it in a folder that stays. Where the gateway is gone already, the session is
    /// good for nobody, as its tokens go with it.
    private func signOut() async {
        if let server = try? folder.session.read()?.server {
            try? await DoorwardClient(server: server, credentials: .session(folder.session)).authentication.signOut()
        }
        folder.removeSession()
    }
}
