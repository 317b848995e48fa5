// Exported: nearly every test works with the virtual clock, and which of the two modules it comes from is no matter of the
// tests'. DoorwardAdapterTesting is a module of its own only because adapters outside this repository are tested with it.
@_exported public import DoorwardAdapterTesting
