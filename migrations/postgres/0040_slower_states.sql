-- The slower state that an offer's nodes are in, its speed in millionths of full speed, and how much later the offer ends than at
-- full speed; null at full speed.
ALTER TABLE offers ADD COLUMN power_state TEXT;
ALTER TABLE offers ADD COLUMN speed_millionths BIGINT;
ALTER TABLE offers ADD COLUMN later_s BIGINT;

-- Power actions limit the power of nodes for reservations in a slower state ('limit'), and lift the limit after them ('lift').
-- limit_uw: the limit that the node is to have; null where it is to have none, and for other actions. former_limit_uw: of 'limit',
-- what it had before; null where it had none.
ALTER TABLE power_actions DROP CONSTRAINT power_actions_action_check;
ALTER TABLE power_actions
    ADD CHECK (action IN ('power_up', 'power_down', 'limit', 'lift')),
    ADD COLUMN limit_uw        BIGINT,
    ADD COLUMN former_limit_uw BIGINT;
CREATE INDEX power_actions_limits ON power_actions (node, id) WHERE action IN ('limit', 'lift');
