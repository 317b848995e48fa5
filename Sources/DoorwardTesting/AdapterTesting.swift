// Exported because nearly every test uses the virtual clock, and need not import the module that contains it.
// DoorwardAdapterTesting is a module of its own only because adapters outside this repository are tested with it.
@_exported public import DoorwardAdapterTesting
