import MirrorSimulation

extension PlantedBug {
    /// Bugs that only histories with pauses find.
    static let inPauses = [
        PlantedBug(
            .reportsAreAccurate, "a watch forgets that it is paused", first: 2,
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted AFTER INSERT ON meta WHEN NEW.key = 'paused' BEGIN
                      DELETE FROM meta WHERE key = 'paused';
                    END
                    """)),
        PlantedBug(
            .reportsAreAccurate, "a watch stays paused after it was resumed", first: 5,
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted BEFORE DELETE ON meta WHEN OLD.key = 'paused' BEGIN
                      SELECT RAISE(IGNORE);
                    END
                    """)),
        PlantedBug(
            .reportsAreAccurate, "a paused sync goes on by itself", first: 8,
            InjectedBug(whilePaused: { $0.resume() })),
        PlantedBug(
            .reportsAreAccurate, "a sync that was cancelled is logged as complete", first: 9,
            InjectedBug(
                sql: """
                    CREATE TRIGGER planted AFTER UPDATE ON sync_log WHEN NEW.outcome = 'cancelled' BEGIN
                      UPDATE sync_log SET outcome = 'complete' WHERE run = NEW.run;
                    END
                    """)),
    ]
}
