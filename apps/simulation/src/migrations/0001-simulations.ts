import { Migration } from '@mikro-orm/migrations';
import { outboxSql, rowSecuritySql } from '@witan/service-kit';

export class Simulations extends Migration {
  override up(): void {
    this.addSql(SIMULATIONS);
    this.addSql(TURNS);
    this.addSql(REPORT_TABLES);
    const tables = ['simulation', 'scenario', 'council', 'state', 'report', 'panel_purge'];
    for (const table of tables) this.addSql(rowSecuritySql(table));
    this.addSql(outboxSql());
  }
}

/**
 * `lease_until` is the expiry of the lease of the call that advances the simulation. JSON is stored
 * as json rather than jsonb, because jsonb rejects some characters and rewrites numbers, and
 * because it is never queried.
 */
const SIMULATIONS = `
  CREATE TABLE simulation (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    turn_unit text NOT NULL CHECK (turn_unit IN ('quarter', 'year')),
    company_base json NOT NULL,
    opening json NOT NULL,
    assumptions json NOT NULL,
    seed bigint NOT NULL CHECK (seed >= 0),
    horizon_turns integer NOT NULL CHECK (horizon_turns >= 0),
    model_version text NOT NULL,
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'finalized')),
    current_turn integer NOT NULL DEFAULT 0 CHECK (current_turn >= 0),
    state_count integer NOT NULL DEFAULT 0,
    lease text,
    lease_until timestamptz,
    created_at timestamptz NOT NULL,
    CHECK ((lease IS NULL) = (lease_until IS NULL))
  ) WITH (fillfactor = 70);
  CREATE INDEX simulation_newest ON simulation (workspace_id, position DESC);
  CREATE TABLE scenario (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    simulation_id text COLLATE "C" NOT NULL REFERENCES simulation ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL,
    parameters json NOT NULL,
    ignored_parameters json NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    forked_at_turn integer NOT NULL CHECK (forked_at_turn >= 0),
    opening json NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX scenario_place ON scenario (simulation_id, position)`;

/**
 * `council` stores verdicts before states are computed from them. `state` includes the world
 * parameters and the council's proposals, so that a replay can recompute it.
 */
const TURNS = `
  CREATE TABLE council (
    scenario_id text COLLATE "C" NOT NULL REFERENCES scenario ON DELETE CASCADE,
    turn integer NOT NULL CHECK (turn > 0),
    workspace_id text NOT NULL,
    attempt integer NOT NULL DEFAULT 1,
    verdict json,
    PRIMARY KEY (scenario_id, turn)
  );
  CREATE TABLE state (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    simulation_id text COLLATE "C" NOT NULL REFERENCES simulation ON DELETE CASCADE,
    scenario_id text COLLATE "C" NOT NULL REFERENCES scenario ON DELETE CASCADE,
    turn integer NOT NULL CHECK (turn > 0),
    engine_state json NOT NULL,
    company_state json NOT NULL,
    world_state json NOT NULL,
    events json NOT NULL,
    decision json NOT NULL,
    parameters json NOT NULL,
    state_hash text NOT NULL,
    decisions_hash text NOT NULL,
    model_version text NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE (scenario_id, turn)
  );
  CREATE INDEX state_newest ON state (simulation_id, turn DESC, position DESC)`;

/**
 * `panel_purge` lists deleted simulations whose panels are still to be deleted in the agents
 * service.
 */
const REPORT_TABLES = `
  CREATE TABLE report (
    simulation_id text COLLATE "C" PRIMARY KEY REFERENCES simulation ON DELETE CASCADE,
    workspace_id text NOT NULL,
    body json NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE TABLE panel_purge (
    owner text COLLATE "C" PRIMARY KEY,
    workspace_id text NOT NULL,
    due_at timestamptz NOT NULL
  );
  CREATE INDEX panel_purge_due ON panel_purge (due_at)`;
