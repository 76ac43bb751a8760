import type { MessageInitShape } from '@bufbuild/protobuf';
import type { AdvanceEventSchema } from '@witan/contracts';
import type { AdvanceProgress } from '../advance.ts';
import { toDisplayedDecision } from '../../simulation/step-scenario.ts';
import { toScenario, toState } from '../../simulation/rpc/to-simulation.ts';

type AdvanceEventInit = MessageInitShape<typeof AdvanceEventSchema>;

export const toAdvanceEvent = (progress: AdvanceProgress): AdvanceEventInit => ({
  event: toEvent(progress),
});

const toEvent = (progress: AdvanceProgress): AdvanceEventInit['event'] => {
  switch (progress.kind) {
    case 'started': {
      const { turn, scenarios } = progress;
      return { case: 'started', value: { turn, scenarios: scenarios.map(toScenario) } };
    }
    case 'decided': {
      const { scenarioId, decision } = progress;
      const value = {
        scenarioId,
        decisions: JSON.stringify(toDisplayedDecision(decision)),
        convergenceScore: decision.convergenceScore,
        absentAgents: [...decision.absentAgents],
        fallback: decision.isFallback,
      };
      return { case: 'decided', value };
    }
    case 'stepped':
      return { case: 'stepped', value: { state: toState(progress.state) } };
    case 'advanced': {
      const { states, currentTurn, usage, isFinalized: finalized } = progress;
      return {
        case: 'advanced',
        value: { states: states.map(toState), currentTurn, usage, finalized },
      };
    }
  }
};
