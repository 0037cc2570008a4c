// PeriodicLoops: what runs again and again.
//
// The place for the polling centre (named items at intervals, enabled and disabled one by one) and for the scheduler of
// event loops with cursors. It knows nothing of partners or catalogues and imports nothing; `MirrorSync` brings the
// loops. There is nothing here yet: the target stands so that the arrows between targets are drawn once.
