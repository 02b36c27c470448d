-- People are erased from what was before and after, too: there a name is the value of a member "person" (docs/AUDIT.md).
CREATE OR REPLACE FUNCTION refuse_changes_of_audit_records() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.id = OLD.id AND NEW.at_us = OLD.at_us AND NEW.issuer = OLD.issuer AND NEW.action = OLD.action
            AND NEW.outcome = OLD.outcome AND NEW.hash = OLD.hash AND NEW.previous = OLD.previous
            AND (NEW.state_before IS NOT DISTINCT FROM OLD.state_before OR COALESCE(NEW.state_before, '') LIKE '%"person":"erased:%')
            AND (NEW.state_after IS NOT DISTINCT FROM OLD.state_after OR COALESCE(NEW.state_after, '') LIKE '%"person":"erased:%')
            AND (NEW.actor = OLD.actor OR NEW.actor LIKE 'erased:%')
            AND (NEW.acting_for = OLD.acting_for OR NEW.acting_for LIKE 'erased:%')
            AND (NEW.source = OLD.source OR NEW.source LIKE 'erased:%')
            AND (NEW.object = OLD.object OR NEW.object LIKE 'erased:%') THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'audit records are never changed, except that people are erased';
    END IF;
    IF OLD.id <= (SELECT dropped_id FROM audit_chain) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit records are never deleted before they are dropped by age';
END
$$;

-- Who was erased, for a day: a digest of the name, and when (microseconds since 1970, UTC). What was under way then is recorded
-- without the name.
CREATE TABLE erased_names (
    digest TEXT   NOT NULL PRIMARY KEY,
    at_us  BIGINT NOT NULL
);
