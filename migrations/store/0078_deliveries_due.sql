-- Deliveries that fall due at the same instant share an index entry, and PostgreSQL can only skip such an entry once all of them are gone.
-- Until the next vacuum, each claim therefore read every delivery that was already finished. One entry for each is skipped as soon as a
-- scan has seen that its row is gone.
alter index deliveries_due set (deduplicate_items = off);
alter index deliveries_retries set (deduplicate_items = off);
