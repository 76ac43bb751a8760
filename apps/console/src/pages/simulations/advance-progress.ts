import type { Scenario } from './simulations-query.ts';

export type ScenarioStep = {
  id: string;
  name: string;
  step: 'deciding' | 'computing' | 'ready';
  /** 0 to 1, of the panel; undefined until it has decided, and if it could not. */
  convergence?: number;
  absentAgents?: readonly string[];
  isFallback?: boolean;
};

/** How far a turn is; nothing of it counts before it is stored. */
export type AdvanceProgress = { startedAt: number; scenarios: readonly ScenarioStep[] };

type Decided = {
  scenarioId: string;
  convergenceScore: number;
  absentAgents: string[];
  fallback: boolean;
};

/** Returns the progress after an event of an advance; unknown events change nothing. */
export const applyAdvanceEvent = (
  progress: AdvanceProgress,
  event: string,
  content: unknown,
): AdvanceProgress => {
  if (event === 'advance.started') {
    const { scenarios } = content as { scenarios: Scenario[] };
    const steps = scenarios.map(({ id, name }) => ({ id, name, step: 'deciding' }) as const);
    return { ...progress, scenarios: steps };
  }
  if (event === 'scenario.decided') {
    const { scenarioId, convergenceScore, absentAgents, fallback } = content as Decided;
    const found = fallback
      ? { isFallback: true, absentAgents }
      : { convergence: convergenceScore, absentAgents };
    return changeStep(progress, scenarioId, { step: 'computing', ...found });
  }
  if (event === 'scenario.stepped') {
    const { state } = content as { state: { scenarioId: string } };
    return changeStep(progress, state.scenarioId, { step: 'ready' });
  }
  return progress;
};

const changeStep = (
  progress: AdvanceProgress,
  scenarioId: string,
  change: Partial<ScenarioStep>,
): AdvanceProgress => ({
  ...progress,
  scenarios: progress.scenarios.map((one) => (one.id === scenarioId ? { ...one, ...change } : one)),
});
