-- People are erased from what was before and after, too: there a name is the value of a member "person" (docs/AUDIT.md).
DROP TRIGGER audit_refuse_update;

CREATE TRIGGER audit_refuse_update BEFORE UPDATE ON audit
WHEN NOT (NEW.id = OLD.id AND NEW.at_us = OLD.at_us AND NEW.issuer = OLD.issuer AND NEW.action = OLD.action
    AND NEW.outcome = OLD.outcome AND NEW.hash = OLD.hash AND NEW.previous = OLD.previous
    AND (NEW.state_before IS OLD.state_before OR COALESCE(NEW.state_before, '') LIKE '%"person":"erased:%')
    AND (NEW.state_after IS OLD.state_after OR COALESCE(NEW.state_after, '') LIKE '%"person":"erased:%')
    AND (NEW.actor = OLD.actor OR NEW.actor LIKE 'erased:%')
    AND (NEW.acting_for = OLD.acting_for OR NEW.acting_for LIKE 'erased:%')
    AND (NEW.source = OLD.source OR NEW.source LIKE 'erased:%')
    AND (NEW.object = OLD.object OR NEW.object LIKE 'erased:%'))
BEGIN
    SELECT RAISE(ABORT, 'audit records are never changed, except that people are erased');
END;

-- Who was erased, for a day: a digest of the name, and when (microseconds since 1970, UTC). What was under way then is recorded
-- without the name.
CREATE TABLE erased_names (
    digest TEXT    NOT NULL PRIMARY KEY,
    at_us  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
