import type { Advanced, AdvanceEvent } from '@witan/contracts';
import { encodeScenario, encodeState, readObject } from './encode-simulation.ts';
import { encodeTokenUsage } from '../encode-token-usage.ts';

/**
 * Encodes an event of a simulation's advance by one turn. Returns undefined for an event type that
 * this version does not know.
 */
export const encodeAdvanceEvent = ({
  event,
}: AdvanceEvent): { name: string; data: object } | undefined => {
  switch (event.case) {
    case 'started': {
      const { turn, scenarios } = event.value;
      return { name: 'advance.started', data: { turn, scenarios: scenarios.map(encodeScenario) } };
    }
    case 'decided': {
      const { scenarioId, decisions, convergenceScore, absentAgents, fallback } = event.value;
      const data = { scenarioId, decisions: readObject(decisions), convergenceScore };
      return { name: 'scenario.decided', data: { ...data, absentAgents, fallback } };
    }
    case 'stepped':
      return { name: 'scenario.stepped', data: { state: encodeState(event.value.state!) } };
    case 'advanced':
      return { name: 'done', data: encodeAdvanced(event.value) };
    case undefined:
      return undefined;
  }
};

export const encodeAdvanced = ({ states, currentTurn, finalized, usage }: Advanced) => ({
  states: states.map(encodeState),
  currentTurn,
  finalized,
  usage: encodeTokenUsage(usage),
  proofs: [...new Set(states.flatMap(({ proofIds }) => proofIds))],
});
