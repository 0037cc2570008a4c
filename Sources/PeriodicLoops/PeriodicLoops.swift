// PeriodicLoops: what runs again and again, for weeks.
//
// Two things that know nothing of each other or of any domain. `PollingCenter` runs named items (`Pollable`) at
// intervals, each enabled and disabled by itself. `EventsPeriodicScheduler` follows feeds with cursors: a `CoreLoop` and
// any number of special `EventsLoop`s, all through one serial queue. The flow of one operation (cursor, poll, refresh or
// process) is shared code in `LoopFlow`; what a failure leads to is decided by `EscalationPolicy`, a value.
//
// Decisions are pure: `PollingTable` and `LoopSchedule` take the time as an argument and say what is to be done; the
// engines around them start tasks and set one alarm each. Time, randomness and the executor are passed in, so that tests
// run in virtual time on one thread. Tasks belong to their engine and end with it; queues hold each loop at most once.
// Start reading at `EventsLoop`, then `EventsPeriodicScheduler` and `LoopSchedule`.

/// The name of a loop; unique within its scheduler.
public typealias LoopID = String
