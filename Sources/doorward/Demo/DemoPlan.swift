import AdapterSimulator
import DoorwardDomain

/// The content of a demo: a house, its events, and its guests.
struct DemoPlan: Sendable {
    let house: DemoHouse
    let scenario: Scenario
    /// The time of the scenario at which the demo begins.
    let start: Duration
    let guests: [Guest]

    /// A person who gets a guest access when the demo starts.
    struct Guest: Hashable, Sendable {
        let name: String
        let doors: [String]
        /// The first name of the person who grants the access.
        let host: String
        /// The duration of the access, in the house's time; `nil` for one year of real time.
        var window: Duration?
    }
}
