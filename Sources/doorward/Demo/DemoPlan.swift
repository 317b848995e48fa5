import AdapterSimulator
import DoorwardDomain

/// What the demo plays: a house, what happens in it, and who may come in as a guest.
struct DemoPlan: Sendable {
    let house: DemoHouse
    let scenario: Scenario
    /// The time of the scenario at which the demo begins.
    let start: Duration
    let guests: [Guest]

    /// Somebody who gets a guest access when the demo begins.
    struct Guest: Hashable, Sendable {
        let name: String
        let doors: [String]
        /// Who grants it.
        let host: String
        /// How long it is valid, in the house's time; `nil` for a year, however fast time passes.
        var window: Duration?
    }
}
