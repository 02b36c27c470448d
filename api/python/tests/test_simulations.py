"""A simulation from its start to its results."""

from __future__ import annotations

import datetime

import pytest
import wattbook
from wattbook import frames, models

POLICIES = ["asap_first", "cost_co2_energy"]
EXPERIMENT: models.ExperimentDocument = {
    "name": "Two days on the site",
    "policies": POLICIES,
    "parameters": {
        "start": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT00:00:00Z}",
        "days": 2,
        "runs": 3,
        "seed": 7,
    },
    "vary": {"max_delay_h": [1, 6]},
    "nodes": "site",
    "agendas": "site",
}


def test_it_is_followed_to_its_results(client: wattbook.Client) -> None:
    told: list[models.Standing] = []
    simulation = client.simulate(EXPERIMENT, on_progress=told.append)
    assert simulation.state == told[-1]["state"] == "finished"
    assert [standing["runs"] for standing in told] == [6] * len(told) and told[-1]["runs_done"] == 6
    policies = frames.simulation_policies(simulation)
    cells = [cell["name"] for cell in simulation.document["cells"]]
    assert cells == ["max_delay_h=1", "max_delay_h=6"]
    assert policies.index.tolist() == [(cell, policy) for cell in cells for policy in POLICIES]
    for cell, name in enumerate(cells, 1):
        runs = frames.simulation_runs(simulation, cell)
        assert runs.index.names == ["run", "policy"] and len(runs) == 6
        assert str(runs["scheduled"].dtype) == "Int64" and str(runs["cost"].dtype) == "float64"
        for policy in POLICIES:
            mean = runs.xs(policy, level="policy")["energy_j"].mean()
            assert mean == pytest.approx(simulation.summary[cell - 1]["policies"][policy]["energy_j"], rel=1e-12)
            assert mean == pytest.approx(policies.loc[(name, policy), "energy_j"], rel=1e-12)
        requests = frames.simulation_requests(simulation, cell)
        assert str(requests["earliest_start"].dtype) == str(requests["start"].dtype) == "datetime64[ns, UTC]"
        scheduled = requests[requests["outcome"] == "scheduled"]
        assert len(scheduled) == runs["scheduled"].sum() > 0
        assert (scheduled["start_lag_s"] == (scheduled["start"] - scheduled["earliest_start"]).dt.total_seconds()).all()
        assert requests[requests["outcome"] != "scheduled"]["start"].isna().all()
    curves = frames.simulation_curves(simulation, 1)
    assert curves.index.names == ["policy", "requests"] and set(curves.dtypes.astype(str)) == {"float64"}
    assert simulation.result("report").startswith(b"<!doctype html>")
    assert simulation.id in {known["id"] for known in client.simulations()}
    simulation.remove()
    with pytest.raises(wattbook.NotFound):
        client.simulation(simulation.id)


def test_one_that_is_stopped_has_no_results(client: wattbook.Client) -> None:
    long: models.ExperimentDocument = {"parameters": {"runs": 400, "days": 28}}
    simulation = client.simulate(long, wait=False)
    assert simulation.state in ("queued", "running")
    again = client.simulation(simulation.id)
    assert simulation.cancel().state == "cancelled"
    with pytest.raises(wattbook.SimulationFailed, match="cancelled"):
        again.wait()
    with pytest.raises(wattbook.Conflict) as missing:
        again.result("runs.csv")
    assert missing.value.code == "not_finished"
    again.remove()


def test_what_is_wrong_with_an_experiment_is_told_with_its_place(client: wattbook.Client) -> None:
    wrong: list[tuple[models.ExperimentDocument, str]] = [
        ({"policies": ["asap_first", "fastest"]}, "/policies/1"),
        ({"parameters": {"runs": 0}}, "/parameters/runs"),
    ]
    for experiment, pointer in wrong:
        with pytest.raises(wattbook.InvalidRequest) as refused:
            client.simulate(experiment)
        assert refused.value.pointers == [pointer], refused.value
