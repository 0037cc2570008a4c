import MirrorSimulation

extension PlantedBug {
    /// Besides, that what is paused waits, goes on, and ends as it says.
    static let inPauses = [
        PlantedBug(
            .outcomesAreTrue, "a watch forgets that it is paused", first: 2,
            Sabotage(
                sql: """
                    CREATE TRIGGER planted AFTER INSERT ON meta WHEN NEW.key = 'paused' BEGIN
                      DELETE FROM meta WHERE key = 'paused';
                    END
                    """)),
        PlantedBug(
            .outcomesAreTrue, "a watch stays paused after it was resumed", first: 5,
            Sabotage(
                sql: """
                    CREATE TRIGGER planted BEFORE DELETE ON meta WHEN OLD.key = 'paused' BEGIN
                      SELECT RAISE(IGNORE);
                    END
                    """)),
        PlantedBug(
            .outcomesAreTrue, "a paused sync goes on by itself", first: 8, Sabotage(whilePaused: { $0.resume() })),
        PlantedBug(
            .outcomesAreTrue, "a sync that was cancelled is logged as complete", first: 9,
            Sabotage(
                sql: """
                    CREATE TRIGGER planted AFTER UPDATE ON sync_log WHEN NEW.outcome = 'cancelled' BEGIN
                      UPDATE sync_log SET outcome = 'complete' WHERE run = NEW.run;
                    END
                    """)),
    ]
}
