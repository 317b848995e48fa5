internal import DoorwardDomain

/// Position of a simulated door leaf. The door contact reports two states: any but closed is open.
enum DoorLeaf: Hashable {
    case closed
    case open
    /// Leaning on the frame: a bolt that extends now hits the frame's edge.
    case ajar

    var contact: DoorState { self == .closed ? .closed : .open }
}
