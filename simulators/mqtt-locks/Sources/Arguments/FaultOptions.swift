import ArgumentParser

/// Options for the rates of the simulated faults.
struct FaultOptions: ParsableArguments {
    @Option(help: "How often the motor gets stuck, from 0 to 1 of all movements.")
    var jam = 0.0
    @Option(help: "How often an order is lost on its way to the lock, of all orders.")
    var drop = 0.0
    @Option(help: "How often a report is published twice, of all reports.")
    var duplicate = 0.0
    @Option(help: "How often a movement takes 15 s longer, of all movements.")
    var late = 0.0
    @Option(help: "How often a lock goes offline at an order, with its last will and for 20 s, of all orders.")
    var offline = 0.0
    @Option(help: "How often a lock says the opposite of where its bolt is, of all movements.")
    var wrongState = 0.0
    @Option(help: "How often rubbish is published right before a report, of all reports.")
    var garbage = 0.0
    @Option(help: "How many locks leave a state on the broker that is soon no longer true, of all locks.")
    var retained = 0.0
    @Option(help: "How often a lock restarts at an order, of all orders.")
    var reboot = 0.0

    var rates: [Fault: Double] {
        [
            .jam: jam, .drop: drop, .duplicate: duplicate, .late: late, .offline: offline, .wrongState: wrongState,
            .garbage: garbage, .retained: retained, .reboot: reboot,
        ]
    }

    func validate() throws {
        for fault in Fault.allCases where !(0...1).contains(rates[fault] ?? 0) {
            throw ValidationError("--\(fault.rawValue) is a rate from 0 to 1.")
        }
    }
}
