-- A node that is switched off again before its reservation begins is switched on again: of a node, a
-- reservation and an action only one is underway.
ALTER TABLE power_actions DROP CONSTRAINT power_actions_reservation_id_node_action_key;
CREATE UNIQUE INDEX power_actions_underway ON power_actions (reservation_id, node, action)
    WHERE state IN ('waiting', 'ordered');
CREATE INDEX power_actions_by_reservation ON power_actions (reservation_id, node);
