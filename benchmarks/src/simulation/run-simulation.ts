import type { Bench } from '../bench.ts';
import { measureAdvances } from './measure-advances.ts';
import { measureEngine } from './measure-engine.ts';

/** Measures the engine alone, then turns of whole simulations over the API. */
export const runSimulation: Bench = async (context) => {
  const engine = await measureEngine(context);
  const advances = await measureAdvances(context);
  return {
    config: { ...engine.config, ...advances.config },
    rows: [...engine.rows, ...advances.rows],
    summary: { engine: engine.summary, advances: advances.summary },
    tables: [...engine.tables, ...advances.tables],
    checks: { ...engine.checks, ...advances.checks },
    aims: [...engine.aims, ...advances.aims],
  };
};
